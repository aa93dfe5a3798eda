import type { Readable } from 'node:stream';
import { appendFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '#contract/settings.js';
import { createRedactor, type Redactor } from '#contract/text/redact/redact.js';
import { hashToken, preciseNow, type SpoolEntry, writeEntry } from '../spool/entries.js';
import { deliver } from './hook/deliver.js';
import { readHookOptions } from './hook/hook-options.js';
import { messageOf } from '#contract/text/words.js';
import type { EventInput } from '../event-input.js';
import { preparePayload } from '../prepare-payload.js';
import { refuse } from '../spool/refused.js';
import { hookEvent, type HookInput, partialEvent } from './hook/hook-event.js';
import { ensureFolder } from '#adapters/files/ensure-folder.js';

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

/** Where that goes of which no whole event can be made. */
interface Aside {
  spool: string;
  redactor: Redactor;
  log(line: string): void;
}

/**
 * The event of what came in. What cannot be read is put aside for a person to see; when its beginning tells what it is
 * about, there is an event of that much. `problem` says why not all of it came.
 */
async function readHook(input: HookInput, aside: Aside, problem?: string): Promise<EventInput | undefined> {
  const { log, redactor } = aside;
  try {
    return hookEvent(input, log);
  } catch (error) {
    const why = redactor.text([problem, messageOf(error)].filter(Boolean).join('; '));
    const event = partialEvent(input, log);
    const reason = event === undefined ? why : `${why}; its beginning was reported as event ${event.id}`;
    await refuseInput(aside, input.text, reason).catch((failure: unknown) => {
      log(`${reason}; it cannot be put aside: ${messageOf(failure)}`);
    });
    return event;
  }
}

/** Without secrets, and as much of it as tells a person what it was. */
async function refuseInput({ spool, redactor, log }: Aside, text: string, reason: string): Promise<void> {
  const prepared = preparePayload({ input: text.slice(0, ASIDE_CHARS) }, redactor);
  const kept = prepared.ok ? prepared.payload : {};
  if (text.trim() === '') log(reason);
  else await refuse(spool, { v: 1, ...kept }, reason, log);
}

/** Many times what is kept, so that no half secret at its end gets into that. */
const ASIDE_CHARS = 64 * 1024;

interface StdinLimits {
  withinMs: number;
  maxBytes: number;
}

const STDIN_LIMITS: StdinLimits = { withinMs: 2_000, maxBytes: 10 * 1024 * 1024 };

type Input = { text: string; isWhole: true } | { text: string; isWhole: false; problem: string };

/** What a runtime pipes in: as much as comes in time, since one that forgets to close the pipe must not hold up its agent. */
function readStdin(stdin: Readable, { withinMs, maxBytes }: StdinLimits = STDIN_LIMITS): Promise<Input> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const text = () =>
      Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^\uFEFF/, '');
    const timer = setTimeout(() => stop(`standard input was not closed within ${withinMs} ms`), withinMs);
    const stop = (problem?: string) => {
      clearTimeout(timer);
      stdin.off('data', take);
      stdin.pause();
      resolve(problem === undefined ? { text: text(), isWhole: true } : { text: text(), isWhole: false, problem });
    };
    const take = (chunk: Buffer | string) => {
      bytes += chunk.length;
      // Read on all the same: whoever writes must not find the pipe broken.
      if (bytes <= maxBytes) chunks.push(Buffer.from(chunk));
    };
    stdin.on('data', take);
    stdin.once('end', () => stop(bytes > maxBytes ? `standard input holds more than ${maxBytes} bytes` : undefined));
    // Stays: an error must not end the process after this has resolved.
    stdin.on('error', (error) => stop(`standard input cannot be read: ${error.message}`));
  });
}

/** Keeps problems where a person finds them. Nothing here may fail: who logs has trouble enough. */
function createHookLog(home: string, isVerbose: boolean): (message: string) => void {
  const redactor = createRedactor();
  return (message) => {
    const line = redactor.text(message).replace(/\s*[\r\n]+\s*/g, ' | ');
    if (isVerbose) attempt(() => writeSync(process.stderr.fd, `mesh hook: ${line}\n`));
    attempt(() => appendLine(join(home, 'hook.log'), `${new Date().toISOString()} ${process.pid} ${line}`));
  };
}

const MAX_LOG_BYTES = 1024 * 1024;

/** Past a megabyte the file becomes `<path>.1`, and the one before that goes. */
function appendLine(path: string, line: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
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
