import { join } from 'node:path';
import pino, { type Logger } from 'pino';
import type { Settings } from '../contract/settings.js';
import { openLogFile } from './log-file.js';

/** Nothing of these is ever logged on purpose; this is for the day on which someone logs a whole request. */
const NEVER = ['authorization', 'cookie', 'token', 'body', 'payload'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/** The access log, one JSON object per line. */
export async function openGatewayLog(settings: Settings): Promise<Logger> {
  const file = await openLogFile(join(settings.home, 'gateway.log'));
  return pino({ level: 'info', base: null, redact: { paths: NEVER, censor: '[redacted]' } }, file);
}
