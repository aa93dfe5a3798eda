import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { lockOf } from '#client/spool/drain.js';
import { eventually } from '../../../support/eventually.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { namesIn, numbered, spool } from './spooled.js';

// Several real processes on one spool.

const SCRIPT = fileURLToPath(new URL('drainer.ts', import.meta.url));

test('two processes drain 500 entries at once: each goes once, in order', { timeout: 60_000 }, async () => {
  const { folder, received } = place();
  await spool(folder, numbered(500));

  await Promise.all([start(folder, received, 5), start(folder, received, 5)].map(untilEnd));

  expect(idsIn(received)).toEqual(numbered(500));
  expect(readdirSync(folder)).toEqual([]);
});

test(
  'one is killed at its work: the other takes over, and nothing is lost or out of order',
  { timeout: 60_000 },
  async () => {
    const { folder, received } = place();
    await spool(folder, numbered(300), { payload: { text: 'x'.repeat(20_000) } });
    // So slow that it is at its work for seconds yet when it is killed.
    const first = start(folder, received, 500);
    await eventually('some progress', () => (existsSync(received) ? true : undefined));
    first.kill('SIGKILL');
    await untilEnd(first);
    expect(namesIn(folder).length).toBeGreaterThan(0);
    // Nobody touches its lock any more.
    utimesSync(lockOf(folder), 0, 0);

    await untilEnd(start(folder, received, 5));

    const ids = idsIn(received);
    // What was sent and not yet deleted goes again, with the same id.
    expect([...new Set(ids)]).toEqual(numbered(300));
    expect(ids.length).toBeLessThan(300 + 30);
    expect(readdirSync(folder)).toEqual([]);
  },
);

function place(): { folder: string; received: string } {
  const home = tempFolder();
  return { folder: join(home, 'spool'), received: join(home, 'received') };
}

/** `answerMs`: how long whoever takes the events takes for a batch. */
function start(folder: string, received: string, answerMs: number): ChildProcess {
  const child = fork(SCRIPT, [folder, received, String(answerMs)], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

function untilEnd(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('close', () => resolve()));
}

function idsIn(file: string): string[] {
  return readFileSync(file, 'utf8').trim().split('\n');
}
