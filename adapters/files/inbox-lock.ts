import { randomBytes } from 'node:crypto';
import { renameSync, statSync } from 'node:fs';
import { mkdir, rmdir, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

export interface InboxLock {
  /** Throws when another program has taken the lock over meanwhile, as it may with one that looks forgotten. */
  check(): Promise<void>;
  release(): Promise<void>;
}

/** As agent teams have it: their owners touch a lock every five seconds, and take over one that was not touched for ten. */
const STALE_MS = 10_000;
const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 100;

/** How long to wait for a lock that another program has. */
export interface Patience {
  waitMs: number;
  signal: AbortSignal;
}

/** A folder beside the file, which only one program can make. */
export async function takeInboxLock(file: string, { waitMs: patienceMs, signal }: Patience): Promise<InboxLock> {
  const path = `${file}.lock`;
  const giveUpAt = performance.now() + patienceMs;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    signal.throwIfAborted();
    if (await make(path)) return lockAt(path, await look(path));
    await removeStale(path);
    if (performance.now() >= giveUpAt) throw new Error(`${path} is held by another program`);
    // Not in step with the others who wait.
    await wait(waitMs * (0.5 + Math.random()), undefined, { signal });
  }
}

function lockAt(path: string, made: Seen | undefined): InboxLock {
  const isOurs = async () => {
    const now = await look(path);
    return now !== undefined && made !== undefined && now.inode === made.inode && now.changedAt === made.changedAt;
  };
  return {
    async check() {
      if (!(await isOurs())) throw new Error('another program took the inbox over');
    },
    async release() {
      if (await isOurs()) await rmdir(path).catch(ignoreMissing);
    },
  };
}

async function make(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

interface Seen {
  inode: number;
  changedAt: number;
  isFolder: boolean;
}

async function look(path: string): Promise<Seen | undefined> {
  const found = await stat(path).catch(ignoreMissing);
  return found && { inode: found.ino, changedAt: found.mtimeMs, isFolder: found.isDirectory() };
}

async function removeStale(path: string): Promise<void> {
  const seen = await look(path);
  if (seen === undefined || Date.now() - seen.changedAt <= STALE_MS) return;
  if (!seen.isFolder) throw new Error(`${path} is not a lock of agent teams: it is a file`);
  const aside = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  if (moveAside(path, aside)) await rmdir(aside).catch(ignoreMissing);
}

/**
 * Between a look and a removal it may have become somebody else's, who then gets it back. In one go: while others of this
 * process had their turn in between, many who wait for one forgotten lock would take it from each other.
 */
function moveAside(path: string, aside: string): boolean {
  try {
    if (!isStale(path)) return false;
    renameSync(path, aside);
  } catch (error) {
    ignoreMissing(error as NodeJS.ErrnoException);
    return false;
  }
  if (isStale(aside)) return true;
  // It may take the place of one that was made since, whose owner finds that out before it writes. Where it cannot, that one stays.
  try {
    renameSync(aside, path);
  } catch {
    return true;
  }
  return false;
}

function isStale(path: string): boolean {
  return Date.now() - statSync(path).mtimeMs > STALE_MS;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
