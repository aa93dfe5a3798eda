import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureFolder } from './ensure-folder.js';
import { entryName, PART, preciseNow, type SpoolEntry } from './entry.js';

/**
 * Puts an event on disk. When this resolves, it outlives a crash of the machine; until then there is at most a file that
 * no one takes for an entry.
 */
export function writeEntry(folder: string, entry: SpoolEntry, atMs = preciseNow()): Promise<string> {
  return writeText(folder, JSON.stringify(entry), atMs);
}

/** The same for a text that is no entry. */
export async function writeText(folder: string, text: string, atMs = preciseNow()): Promise<string> {
  const name = entryName(atMs, Buffer.byteLength(text));
  const part = join(folder, name + PART);
  ensureFolder(folder);
  try {
    await writeDurably(part, text);
    await rename(part, join(folder, name));
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await syncFolder(folder);
  return name;
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the new name durable. Windows has no such thing for folders, and the content is safe by now. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // See above.
  }
}
