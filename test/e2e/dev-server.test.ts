import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type DevServer, type DevServerOptions, freePort, startDevServer } from '../../worker/dev-server.js';
import { isRunning } from '../support/processes.js';
import { tempFolder } from '../support/temp-folder.js';

/** No system has as many. */
const NO_PROCESS = 2 ** 22 + 1;

/** A server whose start was killed, and which another start has taken over. */
async function takenOver() {
  const home = tempFolder();
  const options: DevServerOptions = {
    binary: inject('temporalBinary'),
    port: await freePort(),
    databaseFile: join(home, 'temporal.db'),
    namespace: 'default',
  };
  const markFile = join(home, 'temporal-server.json');
  const readMark = async () => JSON.parse(await readFile(markFile, 'utf8')) as { pid: number };
  const start = async (): Promise<DevServer> => {
    const server = await startDevServer(options);
    onTestFinished(() => server.stop());
    return server;
  };
  const first = await start();
  await writeFile(markFile, JSON.stringify({ ...(await readMark()), owner: NO_PROCESS }));
  const taker = await start();
  expect(taker).toMatchObject({ pid: first.pid, isFresh: false });
  return { first, taker, start, markFile, readMark };
}

test('who has taken over a server hears of its end', { timeout: 90_000 }, async () => {
  const { first, taker } = await takenOver();

  process.kill(first.pid, 'SIGKILL');

  await taker.ended;
  expect(await isRunning(first.pid)).toBe(false);
});

test('who has taken over a server ends that one', { timeout: 90_000 }, async () => {
  const { first, taker, markFile } = await takenOver();

  await taker.stop();

  expect(await isRunning(first.pid)).toBe(false);
  expect(existsSync(markFile)).toBe(false);
});

test('the server of a later start, and what is known of it, is left alone', { timeout: 90_000 }, async () => {
  const { first, taker, start, readMark } = await takenOver();
  process.kill(first.pid, 'SIGKILL');
  await first.ended;
  const later = await start();
  expect(later.isFresh).toBe(true);

  await taker.stop();
  await first.stop();

  expect(await readMark()).toMatchObject({ pid: later.pid });
  expect(await isRunning(later.pid)).toBe(true);
});
