import { type ChildProcess, spawn } from 'node:child_process';
import { type FileHandle, open, readFile, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { ensureFolder } from '#adapters/files/ensure-folder.js';
import { type Lock, takeLock } from '#adapters/files/lock.js';
import { SEARCH_ATTRIBUTES } from '#contract/names.js';
import { ExplainedError, stateTrouble } from '../explained-error.js';
import { endLeftover, removeMark, writeMark } from './leftover.js';

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
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 10_000;
/** Longer than the lock of a start that was killed is respected. */
const OTHER_START_WITHIN_MS = 20_000;

/**
 * Runs Temporal's dev server on a database file, so that everything outlives a restart. In a process group of its own:
 * Ctrl-C must reach the worker first, and the server only when the worker is done with it.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const address = `127.0.0.1:${options.port}`;
  const lock = await lockFolder(options.databaseFile);
  const { child, ended } = await launch(options).finally(() => lock.release());
  const trouble = await Promise.race([untilReady(address, options.namespace), ended]);
  if (trouble === undefined && child.pid !== undefined) {
    const stop = () => endServer(options, child, ended, 'SIGTERM');
    return { address, pid: child.pid, binary: options.binary, ended, stop };
  }
  // It has a process group of its own, so nobody else would end it.
  await endServer(options, child, ended, 'SIGKILL');
  const said = await readFile(logFile(options), 'utf8').catch(() => '');
  const what = `The Temporal server did not start: ${trouble}.${await roomLeft(options)}`;
  throw new ExplainedError([what, beginAndEnd(said.trim())].join('\n').trim());
}

/** What is wrong stands first when it breaks down, and last when it gives up. */
function beginAndEnd(said: string): string {
  return said.length <= 2_000 ? said : `${said.slice(0, 1_000)}\n…\n${said.slice(-1_000)}`;
}

/** One start at a time looks what runs in a folder. */
async function lockFolder(databaseFile: string): Promise<Lock> {
  const path = `${databaseFile}.lock`;
  let lock: Lock | undefined;
  try {
    ensureFolder(dirname(path));
    lock = await takeLock(path, { waitMs: OTHER_START_WITHIN_MS });
  } catch (error) {
    throw stateTrouble(path, error);
  }
  if (lock === undefined) throw new ExplainedError(`Another npm start is at it in ${dirname(path)}. Try again.`);
  return lock;
}

interface Launched {
  child: ChildProcess;
  /** How it ended. */
  ended: Promise<string>;
}

async function launch(options: DevServerOptions): Promise<Launched> {
  await endLeftover(options.databaseFile);
  await requireFreePort(options.port, 'MESH_TEMPORAL_PORT', 'Temporal');
  if (options.uiPort !== undefined) await requireFreePort(options.uiPort, 'MESH_UI_PORT', 'the Temporal UI');
  // To a file, not a pipe: a broken pipe would end the server in the middle of its work when this process is killed.
  const log = await openServerLog(options);
  const child = spawn(options.binary, argumentsFor(options), { detached: true, stdio: ['ignore', log.fd, log.fd] });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code) => resolve(`it ended with exit code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  try {
    if (child.pid !== undefined) writeMark(options.databaseFile, child.pid, options.port);
  } catch (error) {
    await endServer(options, child, ended, 'SIGKILL');
    throw error;
  } finally {
    await log.close();
  }
  return { child, ended };
}

async function endServer(
  { databaseFile }: DevServerOptions,
  child: ChildProcess,
  ended: Promise<unknown>,
  signal: NodeJS.Signals,
): Promise<void> {
  child.kill(signal);
  const killer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(killer);
  if (child.pid !== undefined) removeMark(databaseFile, child.pid);
}

async function openServerLog(options: DevServerOptions): Promise<FileHandle> {
  const file = logFile(options);
  try {
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
    // Without the tries of the client: this is asked again anyway.
    connection = await Connection.connect({ address, connectTimeout: 2_000, interceptors: [] });
    // Of a workflow that is none. Who describes the namespace learns that it is stored; this is answered by those who take events.
    await new Client({ connection, namespace }).workflow.getHandle('is-the-server-there').describe();
    return true;
  } catch (error) {
    return error instanceof WorkflowNotFoundError;
  } finally {
    await connection?.close();
  }
}

function logFile({ databaseFile }: DevServerOptions): string {
  return join(dirname(databaseFile), 'temporal-server.log');
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
