import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dropOverCap } from './cap.js';
import { entryName, listEntries, preciseNow, type SpoolEntry, writeText } from './entries.js';

/** Where that goes which nobody will ever take, with the reason in it, so that a person can look at it and it holds up no others. */
export function refusedFolder(folder: string): string {
  return join(folder, 'refused');
}

/** What was to become an entry, or the text of which none could be made. */
export type Refusal = SpoolEntry | { v: 1; input?: unknown };

/** `name` is that of the entry it was, if any. */
export async function refuse(
  folder: string,
  what: Refusal,
  reason: string,
  log: (line: string) => void,
  name?: string,
): Promise<void> {
  const refused = refusedFolder(folder);
  const text = JSON.stringify({ ...what, reason });
  const kept = await writeText(refused, text, name ?? entryName(preciseNow(), Buffer.byteLength(text)));
  log(`refused ${kept}: ${reason}`);
  await tidy(refused, log);
}

/** Whoever refuses very many need not look through all that were refused with each. */
async function tidy(refused: string, log: (line: string) => void): Promise<void> {
  const now = preciseNow();
  if (now - (tidiedAtMs.get(refused) ?? -Infinity) < TIDY_EVERY_MS) return;
  tidiedAtMs.set(refused, now);
  await dropOverCap(refused, log, now);
}

const TIDY_EVERY_MS = 1_000;
const tidiedAtMs = new Map<string, number>();

export interface RefusedFile {
  file: string;
  at: number;
  reason: string;
}

/** Oldest first. */
export async function listRefused(folder: string): Promise<RefusedFile[]> {
  const refused = refusedFolder(folder);
  const files = await listEntries(refused);
  return Promise.all(
    files.map(async ({ name, atMs }) => {
      const file = join(refused, name);
      return { file, at: Math.floor(atMs), reason: await reasonIn(file) };
    }),
  );
}

async function reasonIn(file: string): Promise<string> {
  try {
    const { reason } = JSON.parse(await readFile(file, 'utf8')) as { reason?: unknown };
    return typeof reason === 'string' ? reason : 'no reason was kept';
  } catch {
    return 'it cannot be read';
  }
}
