import type { Environment } from '#contract/settings.js';
import { WrongEventError } from '../../errors.js';
import { dropOverCap, SPOOL_LIMITS } from '../../spool/cap.js';
import { drain, type Drained, type DrainOptions } from '../../spool/drain.js';
import {
  entriesAmong,
  mayPost,
  mayStoreStraight,
  namesIn,
  preciseNow,
  type SpoolEntry,
  writeEntry,
} from '../../spool/entries.js';
import { refuse } from '../../spool/refused.js';
import type { HookOptions } from './hook-options.js';
import { GatewayError, postEvents } from './post-events.js';
import { isTemporalThere, namesTemporal, openStraightSend } from './temporal.js';
import { messageOf } from '#contract/text/words.js';

export interface Delivery {
  entry: SpoolEntry;
  options: HookOptions;
  env: Environment;
  log(line: string): void;
  /** Called once the event is on disk. */
  onKept(): void;
}

/** With less than this left, a batch would only be cut off on its way. */
const MIN_BATCH_MS = 40;
/** No batch to Temporal begins later than this after its client is loaded; what is left is for the next hook. */
const STRAIGHT_WITHIN_MS = 400;

/** Hands an event to the gateway, else to Temporal; what neither takes in time is in the spool when this resolves. */
export async function deliver(delivery: Delivery): Promise<void> {
  const names = await look(delivery);
  const deadline = performance.now() + delivery.options.waitMs;
  const run: Run = { ...delivery, names, leftMs: () => deadline - performance.now() };

  // What waits goes first, so that the events of a session keep their order: this one lines up behind it.
  const isInLine = entriesAmong(names).length > 0 && (await keep(run));
  const offered = isInLine ? await drainToGateway(run) : await postToGateway(run);
  if (offered === 'done') return;

  const isKept = isInLine || (await keep(run));
  const isStored = offered === 'absent' && (await storeStraight(run, isKept));
  if (!isKept && !isStored) run.log(`LOST event ${run.entry.event.id}: nobody took it, and it cannot be kept`);
}

interface Run extends Delivery {
  leftMs(): number;
  /** What the spool holds. Looked up once: with very many entries that takes a while. */
  names: string[];
}

/** `absent`: there is no gateway. `later`: there is one, which does not take the event now. */
type Offered = 'done' | 'absent' | 'later';

async function look({ options, log }: Delivery): Promise<string[]> {
  try {
    return await namesIn(options.spool);
  } catch (error) {
    log(`the spool cannot be read: ${messageOf(error)}`);
    return [];
  }
}

async function keep({ entry, options, log, onKept, names }: Run): Promise<boolean> {
  try {
    names.push(await writeEntry(options.spool, entry));
    onKept();
  } catch (error) {
    log(`the spool cannot be written: ${messageOf(error)}`);
    return false;
  }
  await dropOverCap(options.spool, log, preciseNow(), SPOOL_LIMITS, entriesAmong(names)).catch((error: unknown) => {
    log(`the spool cannot be tidied: ${messageOf(error)}`);
  });
  return true;
}

async function postToGateway(run: Run): Promise<Offered> {
  const { entry, options, log } = run;
  if (options.gateway === undefined) return 'absent';
  try {
    await postEvents({ url: options.gateway.url, token: options.token }, entry.event, run.leftMs());
    return 'done';
  } catch (error) {
    if (error instanceof WrongEventError) {
      await refuse(options.spool, entry, `${entry.event.id}: ${error.message}`, log);
      return 'done';
    }
    log(`event ${entry.event.id} waits in the spool: ${messageOf(error)}`);
    return error instanceof GatewayError && error.isAbsent ? 'absent' : 'later';
  }
}

async function drainToGateway(run: Run): Promise<Offered> {
  const { options } = run;
  const { gateway, token } = options;
  if (gateway === undefined) return 'absent';
  const { failure } = await drainSpool(run, {
    send: (events) => postEvents({ url: gateway.url, token }, events, run.leftMs()),
    eventOf: (entry) => (mayPost(entry, token) ? entry.event : undefined),
    isOfTenant: (error) => error instanceof GatewayError && error.isOfTenant,
    isOver: () => run.leftMs() < MIN_BATCH_MS,
  });
  return failure instanceof GatewayError && failure.isAbsent ? 'absent' : 'done';
}

/** To Temporal itself, if it is there and it is plain that events of this hook belong there. */
async function storeStraight(run: Run, isKept: boolean): Promise<boolean> {
  const { entry, options, env } = run;
  const isSameMesh = options.gateway === undefined || options.gateway.isLocal || namesTemporal(env);
  if (!isSameMesh || !mayStoreStraight(entry)) return false;
  if (!(await isTemporalThere(env, options.settings, run.leftMs()))) return false;
  try {
    const send = await openStraightSend(env);
    const until = performance.now() + STRAIGHT_WITHIN_MS;
    if (isKept) {
      await drainSpool(run, {
        send,
        eventOf: (waiting) => (mayStoreStraight(waiting) ? waiting.event : undefined),
        isOver: () => performance.now() > until,
      });
      return false;
    }
    await send([entry.event]);
    return true;
  } catch (error) {
    run.log(`Temporal did not take event ${entry.event.id}: ${messageOf(error)}`);
    return false;
  }
}

async function drainSpool({ options, log, names }: Run, how: Omit<DrainOptions, 'folder' | 'log'>): Promise<Drained> {
  const drained = await drain({ folder: options.spool, log, names, ...how });
  if (drained.failure !== undefined) log(`the spool waits: ${messageOf(drained.failure)}`);
  return drained;
}
