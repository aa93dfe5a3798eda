import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmdirSync, statSync, utimesSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

export interface Lock {
  /** False when another program has taken it over meanwhile, as it may with one that looks forgotten. */
  isOurs(): boolean;
  release(): void;
}

/** How long to wait for a lock that another program has. */
export interface Patience {
  waitMs: number;
  signal?: AbortSignal;
}

/** As agent teams have it: owners touch a lock every few seconds, and take over one that was not touched for ten. */
export const STALE_MS = 10_000;
const TOUCH_EVERY_MS = 3_000;
const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 100;

/** Takes a lock: a folder, which only one program can make. Undefined while another program has it. */
export async function takeLock(path: string, { waitMs, signal }: Patience = { waitMs: 0 }): Promise<Lock | undefined> {
  const giveUpAt = performance.now() + waitMs;
  for (let pauseMs = FIRST_WAIT_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_WAIT_MS)) {
    signal?.throwIfAborted();
    if (make(path)) return hold(path);
    if (removeStale(path) && make(path)) return hold(path);
    if (performance.now() >= giveUpAt) return undefined;
    // Not in step with the others who wait.
    await wait(pauseMs * (0.5 + Math.random()), undefined, { signal });
  }
}

/** Touched for as long as it is held, so that nobody takes it for forgotten. */
function hold(path: string): Lock {
  let ours = look(path);
  const isOurs = () => {
    const now = look(path);
    return now !== undefined && ours !== undefined && now.inode === ours.inode && now.changedAt === ours.changedAt;
  };
  const touching = setInterval(() => {
    if (!isOurs()) return;
    attempt(() => utimesSync(path, new Date(), new Date()));
    ours = look(path);
  }, TOUCH_EVERY_MS).unref();
  return {
    isOurs,
    release() {
      clearInterval(touching);
      if (isOurs()) attempt(() => rmdirSync(path));
    },
  };
}

function make(path: string): boolean {
  try {
    mkdirSync(path);
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

function look(path: string): Seen | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && { inode: found.ino, changedAt: found.mtimeMs, isFolder: found.isDirectory() };
}

/**
 * Between the look and the removal it may have become somebody else's, who then gets it back. All of it in one go: while others
 * of this process had their turn in between, many who wait for one forgotten lock would take it from each other.
 */
function removeStale(path: string): boolean {
  const seen = look(path);
  if (!isStale(seen)) return false;
  if (!seen?.isFolder) throw new Error(`${path} is not a lock: it is a file`);
  const aside = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  if (!attempt(() => renameSync(path, aside))) return false;
  // It may take the place of one that was made since, whose owner finds that out before it writes. Where it cannot, that one stays.
  if (!isStale(look(aside)) && attempt(() => renameSync(aside, path))) return false;
  attempt(() => rmdirSync(aside));
  return true;
}

function isStale(seen: Seen | undefined): boolean {
  return seen !== undefined && Date.now() - seen.changedAt > STALE_MS;
}

/** False where it could not be done, mostly because another program was quicker. */
function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
