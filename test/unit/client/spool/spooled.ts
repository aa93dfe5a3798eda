import { readdirSync } from 'node:fs';
import type { EventInput } from '#client/event-input.js';
import { readName, type SpoolEntry, writeEntry } from '#client/spool/entries.js';

export function entryOf(id: string, more: Partial<EventInput> & { tokenHash?: string } = {}): SpoolEntry {
  const { tokenHash, ...event } = more;
  return { v: 1, event: { event: 'TaskCompleted', id, ...event }, ...(tokenHash !== undefined && { tokenHash }) };
}

/** Writes entries one after the other, as hooks of one session do. */
export async function spool(
  folder: string,
  ids: string[],
  more: Parameters<typeof entryOf>[1] = {},
): Promise<string[]> {
  const names: string[] = [];
  for (const id of ids) names.push(await writeEntry(folder, entryOf(id, more)));
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
