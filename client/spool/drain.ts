import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NotStoredError, WrongEventError } from '../errors.js';
import type { EventInput } from '../event-input.js';
import { adoptParts, leftParts } from './adopt-parts.js';
import type { EntryFile, SpoolEntry } from './entry.js';
import { entriesAmong, namesIn } from './list-entries.js';
import { type Lock, takeLock } from './lock.js';
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

  // Whoever found the lock taken relies on its owner: after letting go, it looks for what came meanwhile.
  while (run.drained.ended === undefined && isWork(run, names)) {
    const lock = await takeLock(folder);
    if (lock === undefined) return { ...run.drained, ended: 'busy' };
    try {
      await drainLocked(run, lock, names);
    } catch (error) {
      run.drained.ended = 'failed';
      run.drained.failure = error;
    } finally {
      await lock.release();
    }
    if (run.drained.ended === undefined) names = await namesIn(folder);
  }
  return run.drained;
}

function isWork(run: Run, names: string[]): boolean {
  return waitingAmong(run, names).length > 0 || leftParts(names).length > 0;
}

/** The oldest last: taking from the end of a long list is quick. */
function waitingAmong({ passed }: Run, names: string[]): EntryFile[] {
  return entriesAmong(names)
    .filter(({ name }) => !passed.has(name))
    .reverse();
}

/** `names` may be a little old: what is gone since is passed over, and what came is in the next listing. */
async function drainLocked(run: Run, lock: Lock, names: string[]): Promise<void> {
  const { folder } = run;
  const parts = leftParts(names);
  await adoptParts(folder, parts);
  let files = waitingAmong(run, parts.length > 0 ? await namesIn(folder) : names);
  while (files.length > 0) {
    while (files.length > 0) {
      if (run.isOver?.()) {
        run.drained.ended = 'over';
        return;
      }
      const batch = await takeBatch(run, files);
      if (batch.length > 0) await sendBatch(run, batch, lock);
      if (!(await lock.touch())) {
        run.drained.ended = 'busy';
        return;
      }
    }
    files = waitingAmong(run, await namesIn(folder));
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
    await putAside(run, only.file.name, `${only.event.id ?? 'no id'}: ${error.message}`);
    return;
  }
  for (const one of batch) {
    if (run.isOver?.() || run.heldTenants.has(one.event.tenant)) return;
    await sendBatch(run, [one], lock);
    if (!(await lock.touch())) return;
  }
}

function isWatchFull(error: unknown): boolean {
  return error instanceof NotStoredError && error.reason === 'watch-full';
}
