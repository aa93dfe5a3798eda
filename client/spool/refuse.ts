import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dropOverCap, reasonFile } from './cap.js';
import { ensureFolder } from './ensure-folder.js';
import { preciseNow, type SpoolEntry } from './entry.js';
import { writeEntry } from './write-entry.js';

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
  await dropOverCap(refused, log, preciseNow());
}

/** Keeps an entry there that never was in the spool. */
export async function refuseEntry(
  folder: string,
  entry: SpoolEntry,
  reason: string,
  log: (line: string) => void,
): Promise<void> {
  const refused = refusedFolder(folder);
  const name = await writeEntry(refused, entry);
  await writeFile(reasonFile(join(refused, name)), `${reason}\n`, { mode: 0o600 });
  log(`refused ${name}: ${reason}`);
  await dropOverCap(refused, log, preciseNow());
}
