import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dropOverCap, reasonFile } from './cap.js';
import { ensureFolder } from './ensure-folder.js';
import { preciseNow, type SpoolEntry } from './entry.js';
import { writeText } from './write-entry.js';

/** Where entries go that nobody will ever take, so that a person can look at them and they hold up no others. */
export function refusedFolder(folder: string): string {
  return join(folder, 'refused');
}

/** Moves an entry of the spool there. */
export async function refuseFile(
  folder: string,
  name: string,
  reason: string,
  log: (line: string) => void,
): Promise<void> {
  const refused = refusedFolder(folder);
  ensureFolder(refused);
  // First the reason: an entry without one would be a riddle.
  await writeFile(reasonFile(join(refused, name)), `${reason}\n`, { mode: 0o600 });
  await rename(join(folder, name), join(refused, name));
  log(`refused ${name}: ${reason}`);
  await tidy(refused, log);
}

/** Keeps an entry there that never was in the spool. */
export function refuseEntry(
  folder: string,
  entry: SpoolEntry,
  reason: string,
  log: (line: string) => void,
): Promise<void> {
  return refuseText(folder, JSON.stringify(entry), reason, log);
}

/** Keeps a text there of which no entry could be made. */
export async function refuseText(
  folder: string,
  text: string,
  reason: string,
  log: (line: string) => void,
): Promise<void> {
  const refused = refusedFolder(folder);
  const name = await writeText(refused, text);
  await writeFile(reasonFile(join(refused, name)), `${reason}\n`, { mode: 0o600 });
  log(`refused ${name}: ${reason}`);
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
