import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { createRedactor } from '#contract/text/redact/redact.js';
import { appendLine } from '../../spool/append-line.js';

/** Keeps problems where a person finds them. Nothing here may fail: who logs has trouble enough. */
export function createHookLog(home: string, isVerbose: boolean): (message: string) => void {
  const redactor = createRedactor();
  return (message) => {
    const line = redactor.text(message).replace(/\s*[\r\n]+\s*/g, ' | ');
    if (isVerbose) attempt(() => writeSync(process.stderr.fd, `mesh hook: ${line}\n`));
    attempt(() => appendLine(join(home, 'hook.log'), `${new Date().toISOString()} ${process.pid} ${line}`));
  };
}

function attempt(act: () => unknown): void {
  try {
    act();
  } catch {
    // A full disk, a folder that is not ours, a reader that has gone.
  }
}
