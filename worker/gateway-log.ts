import { join } from 'node:path';
import pino, { type Logger } from 'pino';
import type { Settings } from '#contract/settings.js';
import { openLogFile } from './log-file.js';

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
