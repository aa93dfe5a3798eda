import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ensureFolder } from './ensure-folder.js';

export interface Lock {
  /** Says that its owner is still at work. False when another one has taken the lock over meanwhile. */
  touch(): Promise<boolean>;
  release(): Promise<void>;
}

/** Longer than any batch takes; whoever works on says so with `touch`. */
export const LOCK_STALE_MS = 5 * 60_000;
/** Its owner writes its name into it right after making it. */
const NAMED_WITHIN_MS = 5_000;

interface Owner {
  pid: number;
  host: string;
  turn: string;
}

/** The turns of this process: after a restart of its container, a stranger's lock can carry the same process number. */
const ownTurns = new Set<string>();

/** One process at a time sends the spool. Undefined when another one does; a lock whose owner is gone is taken over. */
export async function takeLock(folder: string): Promise<Lock | undefined> {
  const path = join(folder, 'drain.lock');
  const owner: Owner = { pid: process.pid, host: hostname(), turn: randomBytes(8).toString('hex') };
  const content = JSON.stringify(owner);
  ensureFolder(folder);
  if (!(await create(path, content))) {
    const found = await read(path);
    if (found !== undefined && !(await isStale(path, found))) return undefined;
    if (found !== undefined) await remove(path, found);
    if (!(await create(path, content))) return undefined;
  }
  ownTurns.add(owner.turn);
  return {
    async touch() {
      if ((await read(path)) !== content) return false;
      await utimes(path, new Date(), new Date()).catch(() => undefined);
      return true;
    },
    async release() {
      ownTurns.delete(owner.turn);
      await remove(path, content);
    },
  };
}

async function create(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Moved aside first: between a look and a removal it may have become somebody else's, who then gets it back. */
async function remove(path: string, content: string): Promise<void> {
  const aside = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await rename(path, aside);
    const isAnothers = (await read(aside)) !== content;
    if (isAnothers) await copyFile(aside, path, constants.COPYFILE_EXCL).catch(() => undefined);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

async function isStale(path: string, content: string): Promise<boolean> {
  const changedAt = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Date.now(),
  );
  const ageMs = Date.now() - changedAt;
  const owner = parse(content);
  return ageMs > LOCK_STALE_MS || (owner === undefined ? ageMs > NAMED_WITHIN_MS : isGone(owner));
}

function isGone({ pid, host, turn }: Owner): boolean {
  // A process number says something on its own machine only, and a container counts as one.
  if (host !== hostname()) return false;
  if (pid === process.pid) return !ownTurns.has(turn);
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // Not allowed to signal it: then it is there.
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}

function parse(content: string): Owner | undefined {
  try {
    return JSON.parse(content) as Owner;
  } catch {
    return undefined;
  }
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
