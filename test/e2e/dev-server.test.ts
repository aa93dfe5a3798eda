import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test, type TestContext } from 'vitest';
import { type DevServerOptions, freePort, startDevServer } from '#worker/dev/dev-server.js';
import { eventually } from '../support/eventually.js';
import { isRunning } from '../support/processes.js';

/** No system has as many. */
const NO_PROCESS = 2 ** 22 + 1;

/** A state folder, and what a server in it is started with. */
async function aHome({ onTestFinished }: TestContext) {
  const home = await mkdtemp(join(tmpdir(), 'mesh-server-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const options: DevServerOptions = {
    binary: inject('temporalBinary'),
    port: await freePort(),
    databaseFile: join(home, 'temporal.db'),
    namespace: 'default',
  };
  return { options, markFile: join(home, 'temporal-server.json'), logFile: join(home, 'temporal-server.log') };
}

test.concurrent(
  'a server that a killed start left is ended, and the next one has its database',
  { timeout: 90_000 },
  async (context) => {
    const { options, markFile } = await aHome(context);
    const left = await startDevServer(options);
    context.onTestFinished(() => left.stop());
    const mark = JSON.parse(await readFile(markFile, 'utf8')) as object;
    await writeFile(markFile, JSON.stringify({ ...mark, owner: NO_PROCESS }));

    // On another port too there is no second server on one database.
    const next = await startDevServer({ ...options, port: await freePort() });
    context.onTestFinished(() => next.stop());

    await left.ended;
    expect(next.pid).not.toBe(left.pid);
    expect(JSON.parse(await readFile(markFile, 'utf8'))).toMatchObject({ pid: next.pid, owner: process.pid });
    // What ends late takes away nothing of its successor.
    await left.stop();
    expect(existsSync(markFile)).toBe(true);
  },
);

test.concurrent(
  'a server that has its owner is left alone, and a second start says so',
  { timeout: 90_000 },
  async (context) => {
    const { options } = await aHome(context);
    const first = await startDevServer(options);
    context.onTestFinished(() => first.stop());

    await expect(startDevServer({ ...options, port: await freePort() })).rejects.toThrow(
      `(process ${first.pid}, port ${options.port}) runs on ${options.databaseFile}: npm start, process ${process.pid}, is at work`,
    );

    expect(await isRunning(first.pid)).toBe(true);
  },
);

test.concurrent(
  'of two starts at once one gets the folder, and the other says so',
  { timeout: 90_000 },
  async (context) => {
    const { options } = await aHome(context);

    const starts = await Promise.allSettled([startDevServer(options), startDevServer(options)]);

    const [server] = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    context.onTestFinished(() => server?.stop());
    expect(starts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []))).toEqual([
      expect.stringContaining('is at work there'),
    ]);
  },
);

test.concurrent(
  'a number that belongs to another program by now is left alone',
  { timeout: 90_000 },
  async (context) => {
    const { options, markFile } = await aHome(context);
    await writeFile(markFile, JSON.stringify({ pid: process.pid, owner: NO_PROCESS, port: options.port }));

    const server = await startDevServer(options);
    context.onTestFinished(() => server.stop());

    expect(JSON.parse(await readFile(markFile, 'utf8'))).toMatchObject({ pid: server.pid });
  },
);

test(
  'a server whose mark cannot be written is ended, and the next start begins anew',
  { timeout: 90_000 },
  async (context) => {
    const { options, markFile } = await aHome(context);
    await mkdir(markFile);

    const begunAt = performance.now();
    await expect(startDevServer(options)).rejects.toThrow(
      `${markFile} cannot be written: a folder stands in its place.\nRemove that folder, or set MESH_HOME`,
    );
    expect(performance.now() - begunAt).toBeLessThan(2_000);

    await rm(markFile, { recursive: true });
    const next = await startDevServer(options);
    context.onTestFinished(() => next.stop());
    expect(await isRunning(next.pid)).toBe(true);
  },
);

test('a state folder in which no log can be written is told before any server is started', async (context) => {
  const { options, markFile, logFile } = await aHome(context);
  await mkdir(logFile);

  await expect(startDevServer(options)).rejects.toThrow(`${logFile} cannot be written: a folder stands in its place.`);
  expect(existsSync(markFile)).toBe(false);
});

test.concurrent(
  'the mark of a server is there before it answers, for a start that is killed meanwhile',
  async (context) => {
    const { options, markFile } = await aHome(context);

    const starting = startDevServer(options);
    const marked = eventually('mark', async () => {
      const text = await readFile(markFile, 'utf8').catch(() => '');
      return text === '' ? undefined : (JSON.parse(text) as { pid: number });
    });
    const first = await Promise.race([starting.then(() => 'answers'), marked.then(() => 'marked')]);

    const server = await starting;
    context.onTestFinished(() => server.stop());
    expect(first).toBe('marked');
    expect(await marked).toMatchObject({ pid: server.pid });
  },
);
