import { readdir } from 'node:fs/promises';
import { type EntryFile, readName } from './entry.js';

/** What waits in a folder, oldest first. A folder that is not there holds nothing. */
export async function listEntries(folder: string): Promise<EntryFile[]> {
  return entriesAmong(await namesIn(folder));
}

export function entriesAmong(names: string[]): EntryFile[] {
  return names
    .sort()
    .map(readName)
    .filter((file) => file !== undefined);
}

export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
