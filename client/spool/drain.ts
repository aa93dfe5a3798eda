import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NotStoredError, WrongEventError } from '../errors.js';
import type { EventInput } from '../event-input.js';
import { adoptParts } from './adopt-parts.js';
import { type EntryFile, PART, type SpoolEntry } from './entry.js';
import { entriesAmong, listEntries, namesIn } from './list-entries.js';
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
  const names = await namesIn(folder);
  if (names.some((name) => name.endsWith(PART))) await adoptParts(folder, names);
  else if (entriesAmong(names).length === 0) return run.drained;

  // Whoever found the lock taken relies on its owner: after letting go, it looks for what came meanwhile.
  while (run.drained.ended === undefined && (await waiting(run)).length > 0) {
    const lock = await takeLock(folder);
    if (lock === undefined) return { ...run.drained, ended: 'busy' };
    try {
      await drainLocked(run, lock);
    } catch (error) {
      run.drained.ended = 'failed';
      run.drained.failure = error;
    } finally {
      await lock.release();
    }
  }
  return run.drained;
}

/** The oldest last: taking from the end of a long list is quick. */
async function waiting({ folder, passed }: Run): Promise<EntryFile[]> {
  return (await listEntries(folder)).filter(({ name }) => !passed.has(name)).reverse();
}

async function drainLocked(run: Run, lock: Lock): Promise<void> {
  for (let files = await waiting(run); files.length > 0; files = await waiting(run)) {
    while (files.length > 0) {
      if (run.isOver?.()) {
        run.drained.ended = 'over';
        return;
      }
      const batch = await takeBatch(run, files);
      if (batch.length > 0) await sendBatch(run, batch);
      await lock.touch();
    }
  }
}

async function sendBatch(run: Run, batch: Loaded[]): Promise<void> {
  const [first] = batch;
  try {
    await run.send(batch.map(({ event }) => event));
  } catch (error) {
    if (error instanceof WrongEventError) return refuseOrSplit(run, batch, error);
    if (!(run.isOfTenant ?? isWatchFull)(error)) throw error;
    run.heldTenants.add(first?.event.tenant);
    for (const { file } of batch) run.passed.add(file.name);
    run.drained.failure = error;
    return;
  }
  for (const { file } of batch) await rm(join(run.folder, file.name), { force: true });
  run.drained.sent += batch.length;
}

/** One wrong event refuses the whole batch: one by one, only that one stays behind. */
async function refuseOrSplit(run: Run, batch: Loaded[], error: WrongEventError): Promise<void> {
  const [only, ...others] = batch;
  if (only !== undefined && others.length === 0) {
    await putAside(run, only.file.name, `${only.event.id ?? 'no id'}: ${error.message}`);
    return;
  }
  for (const one of batch) {
    if (run.isOver?.()) return;
    await sendBatch(run, [one]);
  }
}

function isWatchFull(error: unknown): boolean {
  return error instanceof NotStoredError && error.reason === 'watch-full';
}
