import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventInput } from '#client/event-input.js';
import { entryName, preciseNow, readName, type SpoolEntry } from '#client/spool/entries.js';

export function entryOf(id: string, more: Partial<EventInput> & { tokenHash?: string } = {}): SpoolEntry {
  const { tokenHash, ...event } = more;
  return { v: 1, event: { event: 'TaskCompleted', id, ...event }, ...(tokenHash !== undefined && { tokenHash }) };
}

/** Entries as hooks of one session leave them one after the other, put there without waiting for the disk. */
export async function spool(
  folder: string,
  ids: string[],
  more: Parameters<typeof entryOf>[1] = {},
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const names: string[] = [];
  for (const id of ids) {
    const text = JSON.stringify(entryOf(id, more));
    const name = entryName(preciseNow(), Buffer.byteLength(text));
    await writeFile(join(folder, name), text);
    names.push(name);
  }
  return names;
}

/** Entries in the folder itself. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => readName(name) !== undefined);
}

export const noLog = (): void => undefined;

export function numbered(count: number, prefix = 'e'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}
