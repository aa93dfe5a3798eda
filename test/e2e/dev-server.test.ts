import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type DevServer, type DevServerOptions, freePort, startDevServer } from '#worker/dev-server.js';
import { eventually } from '../support/eventually.js';
import { isRunning } from '../support/processes.js';
import { tempFolder } from '../support/temp-folder.js';

/** No system has as many. */
const NO_PROCESS = 2 ** 22 + 1;

/** A state folder, and what a server in it is started with. */
async function aHome() {
  const home = tempFolder();
  const options: DevServerOptions = {
    binary: inject('temporalBinary'),
    port: await freePort(),
    databaseFile: join(home, 'temporal.db'),
    namespace: 'default',
  };
  return { options, markFile: join(home, 'temporal-server.json'), logFile: join(home, 'temporal-server.log') };
}

/** A server whose start was killed, and which another start has taken over. */
async function takenOver() {
  const { options, markFile } = await aHome();
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

test(
  'a server whose mark cannot be written is ended, and the next start begins anew',
  { timeout: 90_000 },
  async () => {
    const { options, markFile } = await aHome();
    await mkdir(markFile);

    const begunAt = performance.now();
    await expect(startDevServer(options)).rejects.toThrow(
      `${markFile} cannot be written: a folder stands in its place.\nRemove that folder, or set MESH_HOME`,
    );
    expect(performance.now() - begunAt).toBeLessThan(2_000);

    await rm(markFile, { recursive: true });
    const next = await startDevServer(options);
    onTestFinished(() => next.stop());
    expect(next.isFresh).toBe(true);
  },
);

test('a state folder in which no log can be written is told before any server is started', async () => {
  const { options, markFile, logFile } = await aHome();
  await mkdir(logFile);

  await expect(startDevServer(options)).rejects.toThrow(`${logFile} cannot be written: a folder stands in its place.`);
  expect(existsSync(markFile)).toBe(false);
});

test('the mark of a server is there before it answers, for a start that is killed meanwhile', async () => {
  const { options, markFile } = await aHome();

  const starting = startDevServer(options);
  const marked = eventually('mark', async () => {
    const text = await readFile(markFile, 'utf8').catch(() => '');
    return text === '' ? undefined : (JSON.parse(text) as { pid: number });
  });
  const first = await Promise.race([starting.then(() => 'answers'), marked.then(() => 'marked')]);

  const server = await starting;
  onTestFinished(() => server.stop());
  expect(first).toBe('marked');
  expect(await marked).toMatchObject({ pid: server.pid });
});

test.runIf(process.platform === 'linux')(
  'a server that was left without a mark is known by its database, used, and ended by who uses it',
  { timeout: 90_000 },
  async () => {
    const { options, markFile } = await aHome();
    const first = await startDevServer(options);
    onTestFinished(() => first.stop());
    await rm(markFile);

    const second = await startDevServer(options);
    expect(second).toMatchObject({ pid: first.pid, isFresh: false });
    expect(existsSync(markFile)).toBe(true);

    await second.stop();
    expect(await isRunning(first.pid)).toBe(false);
    expect(existsSync(markFile)).toBe(false);
  },
);
