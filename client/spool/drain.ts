import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Lock, takeLock } from '#adapters/files/lock.js';
import { NotStoredError, WrongEventError } from '../errors.js';
import type { EventInput } from '../event-input.js';
import { entriesAmong, type EntryFile, namesIn, type SpoolEntry, tornAmong } from './entries.js';
import { type Loaded, putAside, type Run, takeBatch } from './take-batch.js';

export interface DrainOptions {
  folder: string;
  /** Stores events. Rejects with a `WrongEventError` when one of them will never be taken, with anything else to try later. */
  send(events: readonly EventInput[]): Promise<void>;
  /** The event as this sender may send it; undefined for one that is not its to send, which stays. Default: as it is. */
  eventOf?(entry: SpoolEntry): EventInput | undefined;
  /** Whether only this tenant's events failed, so that those of others go on. Default: when its watch is full. */
  isOfTenant?(error: unknown): boolean;
  log(line: string): void;
  /** No batch begins once this is true. */
  isOver?(): boolean;
  /** What the folder held just now, for a caller that has looked: listing a large spool takes a while. */
  names?: string[];
}

export interface Drained {
  sent: number;
  refused: number;
  /** Why it ended before everything was tried: another process is at it, the time was over, or nothing can be stored. */
  ended?: 'busy' | 'over' | 'failed';
  /** Why something that was tried is left. */
  failure?: unknown;
}

/** Sends what waits in the spool, oldest first. A file goes when its event is stored, so none is lost on the way. */
export async function drain(options: DrainOptions): Promise<Drained> {
  const { folder } = options;
  const run: Run = { ...options, drained: { sent: 0, refused: 0 }, passed: new Set(), heldTenants: new Set() };
  let names = options.names ?? (await namesIn(folder));
  for (const torn of tornAmong(names)) await rm(join(folder, torn), { force: true });

  // Whoever found the lock taken relies on its owner: after letting go, it looks for what came meanwhile.
  while (run.drained.ended === undefined && waitingAmong(run, names).length > 0) {
    const lock = await takeLock(lockOf(folder));
    if (lock === undefined) return { ...run.drained, ended: 'busy' };
    try {
      await drainLocked(run, lock, names);
    } catch (error) {
      run.drained.ended = 'failed';
      run.drained.failure = error;
    } finally {
      lock.release();
    }
    if (run.drained.ended === undefined) names = await namesIn(folder);
  }
  return run.drained;
}

/** One process at a time sends the spool. */
export function lockOf(folder: string): string {
  return join(folder, 'drain.lock');
}

/** The oldest last: taking from the end of a long list is quick. */
function waitingAmong({ passed }: Run, names: string[]): EntryFile[] {
  return entriesAmong(names)
    .filter(({ name }) => !passed.has(name))
    .reverse();
}

/** `names` may be a little old: what is gone since is passed over, and what came is in the next listing. */
async function drainLocked(run: Run, lock: Lock, names: string[]): Promise<void> {
  let files = waitingAmong(run, names);
  while (files.length > 0) {
    while (files.length > 0) {
      if (run.isOver?.()) {
        run.drained.ended = 'over';
        return;
      }
      const batch = await takeBatch(run, files);
      if (batch.length > 0) await sendBatch(run, batch, lock);
      if (!lock.isOurs()) {
        run.drained.ended = 'busy';
        return;
      }
    }
    files = waitingAmong(run, await namesIn(run.folder));
  }
}

async function sendBatch(run: Run, batch: Loaded[], lock: Lock): Promise<void> {
  const [first] = batch;
  try {
    await run.send(batch.map(({ event }) => event));
  } catch (error) {
    if (error instanceof WrongEventError) return refuseOrSplit(run, batch, error, lock);
    if (!(run.isOfTenant ?? isWatchFull)(error)) throw error;
    run.heldTenants.add(first?.event.tenant);
    for (const { file } of batch) run.passed.add(file.name);
    run.drained.failure = error;
    return;
  }
  for (const { file } of batch) await rm(join(run.folder, file.name), { force: true });
  run.drained.sent += batch.length;
}

/**
 * One wrong event refuses the whole batch: one by one, only that one stays behind. What is not tried here is looked at again
 * with the next listing.
 */
async function refuseOrSplit(run: Run, batch: Loaded[], error: WrongEventError, lock: Lock): Promise<void> {
  const [only, ...others] = batch;
  if (only !== undefined && others.length === 0) {
    await putAside(run, only.file.name, only.entry, `${only.event.id ?? 'no id'}: ${error.message}`);
    return;
  }
  for (const one of batch) {
    if (run.isOver?.() || run.heldTenants.has(one.event.tenant)) return;
    await sendBatch(run, [one], lock);
    if (!lock.isOurs()) return;
  }
}

function isWatchFull(error: unknown): boolean {
  return error instanceof NotStoredError && error.reason === 'watch-full';
}
