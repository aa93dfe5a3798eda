import { appendFileSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensureFolder } from '#adapters/files/ensure-folder.js';
import { stateTrouble } from './state-trouble.js';

/** Where pino writes its lines. */
export interface LogFile {
  write(line: string): void;
}

/**
 * A log that never stands in the way of the work: a line that cannot be written, as on a full disk, is lost, which is said
 * once. Each line is written at once, so nothing is left over that the end of the process would have to wait for.
 */
export function openLogFile(file: string, say: (line: string) => void = sayOnTerminal): LogFile {
  const descriptor = openForLines(file);
  let isSaid = false;
  return {
    write(line) {
      try {
        appendFileSync(descriptor, line);
      } catch (error) {
        if (!isSaid) say(`Lines of the log ${file} are lost: ${(error as Error).message}`);
        isSaid = true;
      }
    },
  };
}

function openForLines(file: string): number {
  try {
    // Its own user only: payloads, prompts and mails are kept beside it.
    ensureFolder(dirname(file));
    return openSync(file, 'a');
  } catch (error) {
    throw stateTrouble(file, error);
  }
}

function sayOnTerminal(line: string): void {
  process.stderr.write(`${line}\n`);
}
