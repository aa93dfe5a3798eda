import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PART, preciseNow, readName } from './entry.js';

/** Longer than a hook lives. */
const LEFT_AFTER_MS = 60_000;

/** A hook that was killed while it wrote left a part. Is it whole, it becomes an entry; else there is nothing to save. */
export async function adoptParts(folder: string, names: string[]): Promise<void> {
  for (const part of names) {
    const file = part.endsWith(PART) ? readName(part.slice(0, -PART.length)) : undefined;
    if (file === undefined || file.atMs > preciseNow() - LEFT_AFTER_MS) continue;
    const path = join(folder, part);
    const { size } = await stat(path);
    if (size === file.bytes) await rename(path, join(folder, file.name));
    else await rm(path, { force: true });
  }
}
