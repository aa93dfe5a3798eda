import { type ChildProcess, fork } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../contract/settings.js';
import { eventually } from './eventually.js';

export type KillPoint = 'before-match' | 'before-start' | 'after-start' | 'after-bridge' | 'after-mail';

export interface WorkerProcessSettings {
  address: string;
  /** Default: the one of the mesh. */
  taskQueue?: string;
  settings: Partial<Settings>;
  markFile: string;
  killPoint?: KillPoint;
}

export interface WorkerProcess {
  /** Resolves when the worker waits at its kill point. */
  reachedKillPoint(): Promise<void>;
  /** SIGKILL: nothing is said good-bye to. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL('killable-worker.mjs', import.meta.url));

export async function startWorkerProcess(
  options: Omit<WorkerProcessSettings, 'markFile'> & { folder: string },
): Promise<WorkerProcess> {
  const { folder, ...given } = options;
  const markFile = join(folder, 'kill-point-reached');
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
    async reachedKillPoint() {
      await eventually('mark of the kill point', () => readFile(markFile, 'utf8'));
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
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
