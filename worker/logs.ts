import { appendFileSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pino, { type Logger } from 'pino';
import { ensureFolder } from '#adapters/files/ensure-folder.js';
import type { Settings } from '#contract/settings.js';
import { stateTrouble } from './explained-error.js';

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

/** Nothing of these is ever logged on purpose; this is for the day on which someone logs a whole request. */
const NEVER = ['authorization', 'cookie', 'token', 'body', 'payload'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/** The access log, one JSON object per line. */
export function openGatewayLog(settings: Settings): Logger {
  const file = openLogFile(join(settings.home, 'gateway.log'));
  return pino({ level: 'info', base: null, redact: { paths: NEVER, censor: '[redacted]' } }, file);
}

export interface ConsoleLog {
  info(meta: object, message: string): void;
  error(meta: object, message: string): void;
  /** From now on news are shown too: before, the banner is about to say them. */
  showNews(): void;
}

/** Keeps everything in the log file, and shows a person at the terminal what they would want to know. */
export function createConsoleLog(log: Logger, say: (line: string) => void): ConsoleLog {
  let showsNews = false;
  return {
    info(meta, message) {
      log.info(meta, message);
      if (showsNews) say(message);
    },
    error(meta, message) {
      log.error(meta, message);
      say(message);
    },
    showNews() {
      showsNews = true;
    },
  };
}
