import { type ChildProcess, fork } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '#contract/settings.js';
import { eventually } from './eventually.js';

export interface WorkerProcessSettings {
  address: string;
  /** Default: the one of the mesh. */
  taskQueue?: string;
  settings: Partial<Settings>;
  markFile: string;
  /**
   * Steps at which it leaves a mark and goes no further, such as `before mail`, `after POST /v1/capacity`, or
   * `before tellWatchOfAgents a, 2` for the second time, or `before spawnFallbackAgent a once tellWatchOfAgents a` if that was
   * done before. `killable-worker.mjs` names them.
   */
  stops?: readonly string[];
}

export interface WorkerProcess {
  /** Resolves when the worker waits at each of these steps. */
  reached(steps: readonly string[]): Promise<void>;
  /** SIGKILL: nothing is said good-bye to. */
  kill(): Promise<void>;
  /** SIGSTOP: its connections stay, and what comes over them is lost with it. */
  freeze(): void;
  stop(): Promise<void>;
}

/** With many of them side by side. */
const REACHED_WITHIN_MS = 40_000;
const SCRIPT = fileURLToPath(new URL('killable-worker.mjs', import.meta.url));

export async function startWorkerProcess(
  options: Omit<WorkerProcessSettings, 'markFile'> & { folder: string },
): Promise<WorkerProcess> {
  const { folder, ...given } = options;
  const markFile = join(folder, 'steps-reached');
  await rm(markFile, { force: true });
  const child = fork(SCRIPT, [JSON.stringify({ ...given, markFile } satisfies WorkerProcessSettings)], {
    // Not those of vitest.
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await Promise.race([
    ready(child),
    ended.then(() => Promise.reject(new Error('the worker process ended at its start'))),
  ]);
  return {
    async reached(steps) {
      const missing = async () => {
        const marks = (await readFile(markFile, 'utf8').catch(() => '')).split('\n');
        return steps.filter((step) => !marks.includes(step));
      };
      const all = eventually(
        'stop at every step',
        async () => (await missing()).length === 0 || undefined,
        REACHED_WITHIN_MS,
      );
      await all.catch(async (cause: unknown) => {
        throw new Error(`the worker did not come to ${(await missing()).join('; ')}`, { cause });
      });
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    freeze() {
      child.kill('SIGSTOP');
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('message', () => resolve()));
}
