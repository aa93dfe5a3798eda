import { appendFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensureFolder } from './ensure-folder.js';

const MAX_BYTES = 1024 * 1024;

/** Adds a line to a file that never grows past a megabyte: then it becomes `<path>.1`, and the one before that goes. */
export function appendLine(path: string, line: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(path, `${path}.1`);
  ensureFolder(dirname(path));
  appendFileSync(path, `${line}\n`, { mode: 0o600 });
}
