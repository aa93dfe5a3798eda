import type { Readable } from 'node:stream';
import type { Environment } from '../../contract/settings.js';
import { createRedactor } from '../../rules/redact.js';
import { hashToken, preciseNow, type SpoolEntry } from '../spool/entry.js';
import { writeEntry } from '../spool/write-entry.js';
import { adoptRaw } from './hook/adopt-raw.js';
import { deliver } from './hook/deliver.js';
import { hookEvent } from './hook/hook-event.js';
import { createHookLog } from './hook/hook-log.js';
import { readHookOptions } from './hook/hook-options.js';
import { readStdin } from './hook/read-stdin.js';
import { messageOf } from '../../contract/message-of.js';

/** A runtime waits for its hook. Everything is bounded on its own; this is for what nobody thought of. */
const END_WITHIN_MS = 5_000;

/**
 * `mesh hook`, as a runtime calls it: takes what it pipes in, and ends the process with exit code 0 and nothing on standard
 * output, whatever happens. It loads neither the Temporal client nor zod unless there is no other way.
 */
export async function runHook(args: string[], env: Environment, stdin: Readable): Promise<void> {
  const nowMs = preciseNow();
  const options = readHookOptions(args, env);
  const log = createHookLog(options.home, options.isVerbose);
  let unsafe: SpoolEntry | undefined;
  const endNow = (why: string) => {
    log(why);
    const kept = unsafe === undefined ? Promise.resolve('') : writeEntry(options.spool, unsafe);
    kept.catch(() => log('LOST the event')).finally(() => process.exit(0));
  };
  setTimeout(() => endNow(`gave up after ${END_WITHIN_MS} ms`), END_WITHIN_MS);
  const crash = (error: unknown) => endNow(`unexpected: ${messageOf(error)}`);
  process.on('uncaughtException', crash).on('unhandledRejection', crash);

  try {
    for (const problem of options.problems) log(problem);
    const input = await readStdin(stdin);
    if (!input.isWhole) log(input.problem);
    const redactor = createRedactor({ keys: options.settings.redactKeys });
    await adoptRaw(options.spool, redactor, log).catch((error: unknown) => log(`raw events wait: ${messageOf(error)}`));
    const { dialect, tenant, token } = options;
    const event = hookEvent({ dialect, text: input.text, env, tenant, nowMs, redactor }, log);
    const entry: SpoolEntry = { v: 1, event, ...(token !== undefined && { tokenHash: hashToken(token) }) };
    unsafe = entry;
    await deliver({ entry, options, env, log, onKept: () => (unsafe = undefined) });
  } catch (error) {
    log(messageOf(error));
  }
  process.exit(0);
}
