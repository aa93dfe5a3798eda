import type { Logger } from 'pino';

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
