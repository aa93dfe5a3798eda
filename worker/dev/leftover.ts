import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ExplainedError, stateTrouble } from '../explained-error.js';

/** What a state folder says of the server that runs on its database. */
interface Mark {
  pid: number;
  /** The process that started it, and ends it. */
  owner: number;
  port: number;
}

const END_WITHIN_MS = 10_000;

/** In one go, right after the server was started: a start that is killed leaves no server that nobody knows. */
export function writeMark(databaseFile: string, pid: number, port: number): void {
  const file = markFile(databaseFile);
  try {
    writeFileSync(file, JSON.stringify({ pid, owner: process.pid, port } satisfies Mark));
  } catch (error) {
    throw stateTrouble(file, error);
  }
}

/** Not that of another server, which another start has put there. */
export function removeMark(databaseFile: string, pid: number): void {
  if (readMark(databaseFile)?.pid === pid) rmSync(markFile(databaseFile), { force: true });
}

/**
 * An `npm start` that was killed leaves its server running. It is ended, so that the next server has the database for itself.
 * One that still has its owner is in use, and a second on the same database would be worse than none.
 */
export async function endLeftover(databaseFile: string): Promise<void> {
  const mark = readMark(databaseFile);
  if (mark === undefined) return;
  const { pid, owner, port } = mark;
  const command = await commandLineOf(pid);
  // The number may be that of another program by now.
  if (command === '' || command?.includes(databaseFile) === false) return;
  const which = `A Temporal server (process ${pid}, port ${port}) runs on ${databaseFile}`;
  if ((await commandLineOf(owner)) !== '')
    throw new ExplainedError(
      `${which}: npm start, process ${owner}, is at work there.\nUse that one, end it first, or set MESH_HOME to another folder.`,
    );
  if (command === undefined)
    throw new ExplainedError(`${which}, and whoever started it is gone.\nEnd it, and start again: kill ${pid}`);
  await end(pid);
}

async function end(pid: number): Promise<void> {
  const giveUpAt = Date.now() + END_WITHIN_MS;
  signal(pid, 'SIGTERM');
  while ((await commandLineOf(pid)) !== '') {
    if (Date.now() > giveUpAt) signal(pid, 'SIGKILL');
    await wait(50);
  }
}

/** Nothing when there is none, or when a start was killed while it wrote it. */
function readMark(databaseFile: string): Mark | undefined {
  try {
    return JSON.parse(readFileSync(markFile(databaseFile), 'utf8')) as Mark;
  } catch {
    return undefined;
  }
}

function markFile(databaseFile: string): string {
  return join(dirname(databaseFile), 'temporal-server.json');
}

/** Empty for a process that has ended, undefined where it cannot be seen. */
async function commandLineOf(pid: number): Promise<string | undefined> {
  if (!signal(pid, 0)) return '';
  try {
    if (process.platform === 'linux') return await readFile(`/proc/${pid}/cmdline`, 'utf8');
    return (await promisify(execFile)('ps', ['-p', String(pid), '-o', 'args='])).stdout.trim();
  } catch {
    return signal(pid, 0) ? undefined : '';
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
