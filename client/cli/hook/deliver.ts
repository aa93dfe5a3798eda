import type { Environment } from '../../../contract/settings.js';
import { WrongEventError } from '../../errors.js';
import { dropOverCap } from '../../spool/cap.js';
import { drain, type Drained, type DrainOptions } from '../../spool/drain.js';
import { preciseNow, type SpoolEntry } from '../../spool/entry.js';
import { listEntries } from '../../spool/list-entries.js';
import { refuseEntry } from '../../spool/refuse.js';
import { writeEntry } from '../../spool/write-entry.js';
import { GatewayError } from './gateway-error.js';
import type { HookOptions } from './hook-options.js';
import { postEvents } from './post-events.js';
import { createStraightSend, isTemporalThere, namesTemporal } from './temporal.js';
import { mayPost, mayStoreStraight } from './whose-event.js';
import { messageOf } from '../../../contract/message-of.js';

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

/** Hands an event to the gateway, else to Temporal; what neither takes in time is in the spool when this resolves. */
export async function deliver(delivery: Delivery): Promise<void> {
  const deadline = performance.now() + delivery.options.waitMs;
  const run: Run = { ...delivery, leftMs: () => deadline - performance.now() };

  // What waits goes first, so that the events of a session keep their order: this one lines up behind it.
  const isInLine = (await isAnyWaiting(run)) && (await keep(run));
  const offered = isInLine ? await drainToGateway(run) : await postToGateway(run);
  if (offered === 'done') return;

  const isKept = isInLine || (await keep(run));
  const isStored = offered === 'absent' && (await storeStraight(run, isKept));
  if (!isKept && !isStored) run.log(`LOST event ${run.entry.event.id}: nobody took it, and it cannot be kept`);
}

interface Run extends Delivery {
  leftMs(): number;
}

/** `absent`: there is no gateway. `later`: there is one, which does not take the event now. */
type Offered = 'done' | 'absent' | 'later';

async function isAnyWaiting({ options, log }: Run): Promise<boolean> {
  try {
    return (await listEntries(options.spool)).length > 0;
  } catch (error) {
    log(`the spool cannot be read: ${messageOf(error)}`);
    return false;
  }
}

async function keep({ entry, options, log, onKept }: Run): Promise<boolean> {
  try {
    await writeEntry(options.spool, entry);
    onKept();
  } catch (error) {
    log(`the spool cannot be written: ${messageOf(error)}`);
    return false;
  }
  await dropOverCap(options.spool, log, preciseNow()).catch((error: unknown) => {
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
      await refuseEntry(options.spool, entry, `${entry.event.id}: ${error.message}`, log);
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
  const send = createStraightSend(env);
  if (isKept) {
    await drainSpool(run, { send, eventOf: (waiting) => (mayStoreStraight(waiting) ? waiting.event : undefined) });
    return false;
  }
  try {
    await send([entry.event]);
    return true;
  } catch (error) {
    run.log(`Temporal did not take event ${entry.event.id}: ${messageOf(error)}`);
    return false;
  }
}

async function drainSpool({ options, log }: Run, how: Omit<DrainOptions, 'folder' | 'log'>): Promise<Drained> {
  const drained = await drain({ folder: options.spool, log, ...how });
  if (drained.failure !== undefined) log(`the spool waits: ${messageOf(drained.failure)}`);
  return drained;
}
