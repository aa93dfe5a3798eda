import { appendFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureFolder } from '#adapters/files/ensure-folder.js';
import { createRedactor } from '#contract/text/redact/redact.js';

/** Keeps problems where a person finds them. Nothing here may fail: who logs has trouble enough. */
export function createHookLog(home: string, isVerbose: boolean): (message: string) => void {
  const redactor = createRedactor();
  return (message) => {
    const line = redactor.text(message).replace(/\s*[\r\n]+\s*/g, ' | ');
    if (isVerbose) attempt(() => writeSync(process.stderr.fd, `mesh hook: ${line}\n`));
    attempt(() => appendLine(join(home, 'hook.log'), `${new Date().toISOString()} ${process.pid} ${line}`));
  };
}

const MAX_BYTES = 1024 * 1024;

/** Past a megabyte the file becomes `<path>.1`, and the one before that goes. */
function appendLine(path: string, line: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(path, `${path}.1`);
  ensureFolder(dirname(path));
  appendFileSync(path, `${line}\n`, { mode: 0o600 });
}

function attempt(act: () => unknown): void {
  try {
    act();
  } catch {
    // A full disk, a folder that is not ours, a reader that has gone.
  }
}
