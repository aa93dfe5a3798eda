import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SpoolEntry } from './entry.js';
import { messageOf } from '#contract/text/words.js';

export type ReadEntry =
  | { is: 'entry'; entry: SpoolEntry }
  /** Sent or dropped by another process meanwhile. */
  | { is: 'gone' }
  /** Not an entry, and never will be. */
  | { is: 'broken'; reason: string }
  /** It cannot be read now, or by this user. */
  | { is: 'closed'; error: unknown };

export async function readEntry(folder: string, name: string): Promise<ReadEntry> {
  try {
    return parseEntry(await readFile(join(folder, name), 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? { is: 'gone' } : { is: 'closed', error };
  }
}

function parseEntry(text: string): ReadEntry {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { is: 'broken', reason: `not valid JSON: ${messageOf(error)}` };
  }
  const { v, event } = (value ?? {}) as Partial<Record<keyof SpoolEntry, unknown>>;
  const isEntry = v === 1 && typeof event === 'object' && event !== null && !Array.isArray(event);
  return isEntry ? { is: 'entry', entry: value as SpoolEntry } : { is: 'broken', reason: 'not an entry of the spool' };
}
