import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { InboxWriting } from './inbox-writer.js';

export interface InboxProcess {
  begin(): void;
  /** SIGKILL: what it holds stays held. */
  kill(): Promise<void>;
  /** Resolves with its exit code when it has written everything. */
  ended: Promise<number | null>;
}

const SCRIPT = fileURLToPath(new URL('inbox-writer.ts', import.meta.url));

/** A process that is ready to write. */
export async function startInboxWriter(writing: InboxWriting): Promise<InboxProcess> {
  const child = fork(SCRIPT, [JSON.stringify(writing)], { execArgv: ['--import', 'tsx'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  await Promise.race([ready(child), ended.then((code) => Promise.reject(new Error(`it ended at once, with ${code}`)))]);
  return {
    begin: () => void child.send('begin'),
    ended,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('message', () => resolve()));
}
