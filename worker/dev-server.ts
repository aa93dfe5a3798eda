import { type ChildProcess, spawn } from 'node:child_process';
import { type FileHandle, open, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { ensureFolder } from '#adapters/files/ensure-folder.js';
import { SEARCH_ATTRIBUTES } from '#contract/names.js';
import { ExplainedError } from './explained-error.js';
import { stateTrouble } from './state-trouble.js';

export interface DevServerOptions {
  /** The Temporal CLI. */
  binary: string;
  port: number;
  /** None: no web UI. */
  uiPort?: number;
  databaseFile: string;
  namespace: string;
  /** Limits of the server other than its own, as `name=value`: tests reach them sooner. */
  dynamicConfig?: readonly string[];
}

export interface DevServer {
  address: string;
  pid: number;
  /** Resolves when the server ends. */
  ended: Promise<unknown>;
  /** The Temporal CLI it was started with. */
  binary: string;
  /** False when a server from an earlier start was found still running and is used again. */
  isFresh: boolean;
  stop(): Promise<void>;
}

type Leftover = Omit<DevServer, 'address' | 'binary'>;

const canSeeCommandLines = process.platform === 'linux';

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 10_000;
/** Nobody is told of the end of a server that somebody else has started. */
const LOOK_EVERY_MS = 500;

/**
 * Runs Temporal's dev server on a database file, so that everything outlives a restart. In a process group of its own:
 * Ctrl-C must reach the worker first, and the server only when the worker is done with it.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const address = `127.0.0.1:${options.port}`;
  const left = (await findLeftover(options)) ?? (await adoptUnmarked(options));
  if (left) return { address, binary: options.binary, ...left };

  await requireFreePort(options.port, 'MESH_TEMPORAL_PORT', 'Temporal');
  if (options.uiPort !== undefined) await requireFreePort(options.uiPort, 'MESH_UI_PORT', 'the Temporal UI');
  // To a file, not a pipe: the server must survive this process being killed, and a broken pipe would end it.
  const log = await openServerLog(options);
  const child = spawn(options.binary, argumentsFor(options), { detached: true, stdio: ['ignore', log.fd, log.fd] });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code) => resolve(`it ended with exit code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  await log.close();
  try {
    const pid = await bringUp(options, child, ended);
    return {
      address,
      pid,
      binary: options.binary,
      ended,
      isFresh: true,
      stop: () => stopServer(options, child, ended),
    };
  } catch (error) {
    // It has a process group of its own, so nobody else would end it.
    child.kill('SIGKILL');
    await ended;
    if (child.pid !== undefined) await removeMark(options, child.pid);
    throw error;
  }
}

/** Its mark is written before it is waited for: a start that is killed meanwhile leaves a server that the next one knows. */
async function bringUp(options: DevServerOptions, child: ChildProcess, ended: Promise<string>): Promise<number> {
  if (child.pid !== undefined) await writeMark(options, child.pid);
  const trouble = await Promise.race([untilReady(`127.0.0.1:${options.port}`, options.namespace), ended]);
  if (trouble === undefined && child.pid !== undefined) return child.pid;
  const said = await readFile(logFile(options), 'utf8').catch(() => '');
  const what = `The Temporal server did not start: ${trouble}.${await roomLeft(options)}`;
  throw new ExplainedError([what, said.trim().slice(-2_000)].join('\n').trim());
}

async function openServerLog(options: DevServerOptions): Promise<FileHandle> {
  const file = logFile(options);
  try {
    ensureFolder(dirname(file));
    return await open(file, 'w');
  } catch (error) {
    throw stateTrouble(file, error);
  }
}

/** A new database takes less. */
const SCARCE_BYTES = 10_000_000;

/** Where it had no room for its database, its log had none to say so. */
async function roomLeft({ databaseFile }: DevServerOptions): Promise<string> {
  const { bavail, bsize } = await statfs(dirname(databaseFile));
  const bytes = bavail * bsize;
  if (bytes > SCARCE_BYTES) return '';
  return ` The disk of ${dirname(databaseFile)} is full, or nearly: ${bytes} bytes are left. Make room there, or set MESH_HOME to another folder.`;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function argumentsFor({ port, uiPort, databaseFile, namespace, dynamicConfig = [] }: DevServerOptions): string[] {
  const searchAttributes = Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, kind]) => [
    '--search-attribute',
    `${name}=${kind === 'INT' ? 'Int' : 'Keyword'}`,
  ]);
  return [
    'server',
    'start-dev',
    ...['--ip', '127.0.0.1', '--port', String(port)],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...['--namespace', namespace],
    ...['--db-filename', databaseFile],
    ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'busy_timeout=5000'],
    ...['--log-level', 'error'],
    ...searchAttributes,
    ...[FASTER_HAND_OUT, ...dynamicConfig].flatMap((value) => ['--dynamic-config-value', value]),
  ];
}

/**
 * Its one shard looks 20 times a second for what it is to hand out. Under steady traffic each step of a workflow waits for the
 * next look: an event took 200 ms to its action, and takes 70 with this.
 */
const FASTER_HAND_OUT = 'history.transferProcessorMaxPollRPS=1000';

/** What went wrong, or nothing once the server answers. */
async function untilReady(address: string, namespace: string): Promise<string | undefined> {
  const giveUpAt = Date.now() + READY_WITHIN_MS;
  while (Date.now() < giveUpAt) {
    if (await answers(address, namespace)) return undefined;
    await wait(100);
  }
  return `it did not answer within ${READY_WITHIN_MS / 1000} s`;
}

async function answers(address: string, namespace: string): Promise<boolean> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address, connectTimeout: 2_000 });
    await connection.workflowService.describeNamespace({ namespace });
    return true;
  } catch {
    return false;
  } finally {
    await connection?.close();
  }
}

async function stopServer(options: DevServerOptions, child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(killer);
  if (child.pid !== undefined) await removeMark(options, child.pid);
}

function logFile({ databaseFile }: DevServerOptions): string {
  return join(dirname(databaseFile), 'temporal-server.log');
}

function markFile({ databaseFile }: DevServerOptions): string {
  return join(dirname(databaseFile), 'temporal-server.json');
}

/**
 * A worker that was killed leaves its server running; so does a second `npm start` in the same folder find the first one's.
 * Either way the running server is used. It is stopped at the end only if the process that started it is gone.
 */
async function findLeftover(options: DevServerOptions): Promise<Leftover | undefined> {
  const mark = await readMark(options);
  if (mark?.port !== options.port || !(await isThere(mark.pid, options))) return undefined;
  return takeOver(options, mark.pid);
}

async function takeOver(options: DevServerOptions, pid: number): Promise<Leftover | undefined> {
  // It is there, so a busy machine is the likeliest reason if it does not answer at once.
  const trouble = await untilReady(`127.0.0.1:${options.port}`, options.namespace);
  if (trouble === undefined) {
    return { pid, ended: untilGone(pid, options), isFresh: false, stop: () => stopLeftover(options, pid) };
  }
  // Where only the number of the process is known, it may be that of another program.
  if (!canSeeCommandLines) return undefined;
  throw new ExplainedError(
    `The Temporal server of an earlier start runs on port ${options.port}, and ${trouble}.\nTo start another: kill ${pid}`,
  );
}

/**
 * One whose mark could not be written, or was lost, is known by its database: two servers on one file would be worse than none.
 * From now on it is that of this process, since whoever started it knows of it no more.
 */
async function adoptUnmarked(options: DevServerOptions): Promise<Leftover | undefined> {
  const pid = await findByCommandLine(options);
  if (pid === undefined) return undefined;
  const left = await takeOver(options, pid);
  try {
    await writeMark(options, pid);
    return left;
  } catch (error) {
    await endProcess(options, pid);
    throw error;
  }
}

/** Of all programs. Where that cannot be seen, there is none. */
async function findByCommandLine(options: DevServerOptions): Promise<number | undefined> {
  if (!canSeeCommandLines) return undefined;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  for (const pid of pids) {
    const words = await commandLineOf(pid);
    if (words.includes('start-dev') && words.includes(options.databaseFile) && words.includes(String(options.port))) {
      return pid;
    }
  }
  return undefined;
}

/** After a reboot the number may belong to any other program. Where that cannot be seen, the port must be proof enough. */
async function isOurs(pid: number, { databaseFile }: DevServerOptions): Promise<boolean> {
  if (!canSeeCommandLines) return true;
  return (await commandLineOf(pid)).includes(databaseFile);
}

async function commandLineOf(pid: number): Promise<string[]> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return commandLine.split('\0');
}

async function writeMark(options: DevServerOptions, pid: number): Promise<void> {
  const file = markFile(options);
  try {
    await writeFile(file, JSON.stringify({ pid, owner: process.pid, port: options.port }));
  } catch (error) {
    throw stateTrouble(file, error);
  }
}

/** Nothing when there is none, or when a start was killed while it wrote it. */
async function readMark(options: DevServerOptions): Promise<{ pid: number; owner: number; port: number } | undefined> {
  try {
    return JSON.parse(await readFile(markFile(options), 'utf8')) as { pid: number; owner: number; port: number };
  } catch {
    return undefined;
  }
}

/** It keeps no process alive. */
async function untilGone(pid: number, options: DevServerOptions): Promise<void> {
  while (await isThere(pid, options)) await wait(LOOK_EVERY_MS, undefined, { ref: false });
}

async function stopLeftover(options: DevServerOptions, pid: number): Promise<void> {
  const mark = await readMark(options);
  // It may have ended meanwhile, and another start may run a server of its own.
  if (mark?.pid !== pid || (mark.owner !== process.pid && isAlive(mark.owner))) return;
  await endProcess(options, pid);
  await removeMark(options, pid);
}

async function endProcess(options: DevServerOptions, pid: number): Promise<void> {
  if (!(await isThere(pid, options))) return;
  const giveUpAt = Date.now() + STOP_WITHIN_MS;
  signal(pid, 'SIGTERM');
  while ((await isThere(pid, options)) && Date.now() < giveUpAt) await wait(50);
  if (await isThere(pid, options)) signal(pid, 'SIGKILL');
}

/** The number may be that of another program by now. */
async function isThere(pid: number, options: DevServerOptions): Promise<boolean> {
  return isAlive(pid) && (await isOurs(pid, options));
}

/** Not that of another server, which another start has put there. */
async function removeMark(options: DevServerOptions, pid: number): Promise<void> {
  if ((await readMark(options))?.pid === pid) await rm(markFile(options), { force: true });
}

function isAlive(pid: number): boolean {
  return signal(pid, 0);
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

async function requireFreePort(port: number, variable: string, what: string): Promise<void> {
  const isFree = await new Promise<boolean>((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
  if (isFree) return;
  throw new Error(
    `Port ${port} for ${what} is taken by another program. Set ${variable} to a free port` +
      (variable === 'MESH_TEMPORAL_PORT'
        ? `, or TEMPORAL_ADDRESS=127.0.0.1:${port} if that is a Temporal server to use.`
        : '.'),
  );
}
