import { appendFileSync, openSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Where pino writes its lines. */
export interface LogFile {
  write(line: string): void;
}

/**
 * A log that never stands in the way of the work: a line that cannot be written, as on a full disk, is lost, which is said
 * once. Each line is written at once, so nothing is left over that the end of the process would have to wait for.
 */
export async function openLogFile(file: string, say: (line: string) => void = sayOnTerminal): Promise<LogFile> {
  // Its own user only: payloads, prompts and mails are kept beside it.
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const descriptor = openSync(file, 'a');
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

function sayOnTerminal(line: string): void {
  process.stderr.write(`${line}\n`);
}
