import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '#contract/text/words.js';
import type { EventInput } from '../event-input.js';
import type { Drained, DrainOptions } from './drain.js';
import { type EntryFile, readEntry, type SpoolEntry } from './entries.js';
import { type Refusal, refuse } from './refused.js';

/** One draining, from its beginning to its end. */
export interface Run extends DrainOptions {
  drained: Drained;
  /** Names that stay, for this time. */
  passed: Set<string>;
  /** Tenants whose events cannot be stored now; the others need not wait for them. */
  heldTenants: Set<string | undefined>;
}

export interface Loaded {
  file: EntryFile;
  entry: SpoolEntry;
  /** As this sender sends it. */
  event: EventInput;
}

const MAX_BATCH_EVENTS = 200;
const MAX_BATCH_BYTES = 512 * 1024;

/** Names of files that cannot be read, so that a process that looks every second says it once. */
const saidClosed = new Set<string>();

/** Takes from the end of the list, where the oldest are, what one call may carry: of one tenant, so that none fails for another. */
export async function takeBatch(run: Run, files: EntryFile[]): Promise<Loaded[]> {
  const batch: Loaded[] = [];
  let bytes = 0;
  for (let file = files.at(-1); file !== undefined; file = files.at(-1)) {
    // Those of others are read too, and there may be very many of them.
    if (batch.length === 0 && run.isOver?.()) break;
    bytes += file.bytes;
    if (batch.length > 0 && (batch.length === MAX_BATCH_EVENTS || bytes > MAX_BATCH_BYTES)) break;
    const loaded = await load(run, file);
    if (batch.length > 0 && loaded !== undefined && loaded.event.tenant !== batch[0]?.event.tenant) break;
    files.pop();
    if (loaded !== undefined) batch.push(loaded);
  }
  return batch;
}

/** The event in a file; undefined for one that is gone, is no event, or stays. */
async function load(run: Run, file: EntryFile): Promise<Loaded | undefined> {
  const { log, passed } = run;
  const { name } = file;
  const read = await readEntry(run.folder, name);
  if (read.is === 'gone') return undefined;
  if (read.is === 'broken') {
    await putAside(run, name, { v: 1, input: read.text }, read.reason);
    return undefined;
  }
  if (read.is === 'closed' && !saidClosed.has(name)) {
    saidClosed.add(name);
    log(`${name} cannot be read and stays: ${messageOf(read.error)}`);
  }
  if (read.is === 'entry') {
    const { entry } = read;
    const event = run.eventOf ? run.eventOf(entry) : entry.event;
    if (event !== undefined && !run.heldTenants.has(event.tenant)) return { file, entry, event };
  }
  passed.add(name);
  return undefined;
}

/** Out of the way of the others, or at least past it. */
export async function putAside(run: Run, name: string, what: Refusal, reason: string): Promise<void> {
  try {
    await refuse(run.folder, what, reason, run.log, name);
    await rm(join(run.folder, name), { force: true });
    run.drained.refused += 1;
  } catch (error) {
    run.passed.add(name);
    run.log(`${name} is refused (${reason}) but cannot be moved away: ${messageOf(error)}`);
  }
}
