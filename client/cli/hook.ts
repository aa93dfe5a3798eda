import type { Readable } from 'node:stream';
import type { Environment } from '#contract/settings.js';
import { createRedactor } from '#contract/text/redact/redact.js';
import { hashToken, preciseNow, type SpoolEntry, writeEntry } from '../spool/entries.js';
import { deliver } from './hook/deliver.js';
import { createHookLog } from './hook/hook-log.js';
import { readHookOptions } from './hook/hook-options.js';
import { readHook } from './hook/read-hook.js';
import { readStdin } from './hook/read-stdin.js';
import { messageOf } from '#contract/text/words.js';

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
  let unsettled: SpoolEntry | undefined;
  const endNow = (why: string) => {
    log(why);
    const kept = unsettled === undefined ? Promise.resolve('') : writeEntry(options.spool, unsettled);
    kept.catch(() => log('LOST the event')).finally(() => process.exit(0));
  };
  setTimeout(() => endNow(`gave up after ${END_WITHIN_MS} ms`), END_WITHIN_MS);
  const crash = (error: unknown) => endNow(`unexpected: ${messageOf(error)}`);
  process.on('uncaughtException', crash).on('unhandledRejection', crash);

  try {
    for (const problem of options.problems) log(problem);
    const input = await readStdin(stdin);
    const problem = input.isWhole ? undefined : input.problem;
    if (problem !== undefined) log(problem);
    const redactor = createRedactor({ keys: options.settings.redactKeys });
    const { dialect, tenant, token, spool } = options;
    const event = await readHook(
      { dialect, text: input.text, env, tenant, nowMs, redactor },
      { spool, redactor, log },
      problem,
    );
    const entry: SpoolEntry | undefined = event && {
      v: 1,
      event,
      ...(token !== undefined && { tokenHash: hashToken(token) }),
    };
    // From here on it outlives whatever goes wrong.
    unsettled = entry;
    if (entry !== undefined) await deliver({ entry, options, env, log, onKept: () => (unsettled = undefined) });
  } catch (error) {
    log(messageOf(error));
  }
  process.exit(0);
}
