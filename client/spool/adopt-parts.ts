import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PART, preciseNow, readName } from './entry.js';

/** Longer than a hook lives. */
const LEFT_AFTER_MS = 60_000;

/** What hooks that were killed while they wrote left. A part that is younger may still be written. */
export function leftParts(names: string[]): string[] {
  const before = preciseNow() - LEFT_AFTER_MS;
  return names.filter((part) => part.endsWith(PART) && (entryOf(part)?.atMs ?? Infinity) <= before);
}

/** Is a part whole, it becomes an entry; else there is nothing to save. */
export async function adoptParts(folder: string, parts: string[]): Promise<void> {
  for (const part of parts) {
    const file = entryOf(part);
    if (file === undefined) continue;
    const path = join(folder, part);
    try {
      const { size } = await stat(path);
      if (size === file.bytes) await rename(path, join(folder, file.name));
      else await rm(path, { force: true });
    } catch (error) {
      // Another process was quicker.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

function entryOf(part: string) {
  return readName(part.slice(0, -PART.length));
}
