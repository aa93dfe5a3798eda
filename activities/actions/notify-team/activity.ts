import { Context } from '@temporalio/activity';
import { TemporalFailure } from '@temporalio/common';
import type { MeshConfig } from '#config/mesh-config.js';
import { resolveSecret } from '#config/secret.js';
import type { ChannelConfig } from '#config/sections/teams.js';
import type { ActionActivities } from '#contract/activities.js';
import { messageOf } from '#contract/text/words.js';
import type { DeliveryAnswer, DeliveryRequest } from '#contract/notification.js';
import { endIfAborted } from '../../abort-unheard.js';
import { asAborted, attempt, failure } from '../../fail.js';
import { withHeartbeat } from '../../heartbeat.js';
import { loadConfig } from '../../load-config.js';
import { redactorOf } from '../../redactor-of.js';
import type { World } from '../../world.js';
import type { Parcel, Prepared } from './channel.js';
import { channelOf, findParcel } from './channels/index.js';
import { asOfNow } from './message/words-of-message.js';
import {
  asLast,
  type Memory,
  memoryAfter,
  memoryOfEarlier,
  requireOneLeft,
  type Undelivered,
} from './memory-of-attempts.js';
import { createPlaces, type Places } from './places.js';
import { nextTry, waitWhileBusy } from './retry-ladder.js';

type DeliverWorld = Pick<World, 'config' | 'redactKeys' | 'env' | 'mailers' | 'outbound' | 'workflows'>;

/** One attempt to bring one message through one channel. Addresses and secrets are looked up anew each time. */
export function makeDeliverNotification(
  world: DeliverWorld,
  places = createPlaces(),
): ActionActivities['deliverNotification'] {
  return async (request) => {
    const before = memoryOfEarlier();
    requireOneLeft(request, before);
    const attempts = before.attempts + 1;
    const config = await loadConfig(world.config).catch(asLast(request, before));
    const details = { ...before, attempts };
    const answer = await withHeartbeat(async () => {
      await endIfAborted(world.workflows, before);
      const answered = await attemptOnce(request, config, world, places);
      if ('needless' in answered) return answered;
      if ('busy' in answered) return leaveTo(details, before, answered);
      if (answered.delivered) return answered;
      const reason = redactorOf(config, world.redactKeys).text(answered.reason);
      const after = memoryAfter(before, { ...answered, reason });
      return leaveTo(details, after, { ...answered, reason, after });
    }, details).catch((error: unknown) => {
      if (error instanceof TemporalFailure) throw asAborted(error, { ...before, attempts });
      return asLast(request, before)(error);
    });
    if ('needless' in answer) return { status: 'skipped', reason: answer.needless, attempts };
    if ('busy' in answer) throw busyFailure(answer.busy, before);
    if (!answer.delivered) throw deliveryFailure(answer, request, config);
    await noteAlert(request, answer, world).catch(asLast(request, before));
    const { lastError } = before;
    const { detail, isFile } = answer;
    return {
      status: 'executed',
      detail,
      attempts,
      ...(lastError !== undefined && { lastError }),
      ...(isFile && { isFile }),
    };
  };
}

/** The next attempt is told what the last heartbeat said. */
function leaveTo<Answer>(details: Memory, memory: Memory, answer: Answer): Answer {
  Object.assign(details, memory);
  Context.current().heartbeat(details);
  return answer;
}

/** Nothing was tried, since others are at the receiver. */
interface Busy {
  busy: string;
}

async function attemptOnce(
  request: DeliveryRequest,
  config: MeshConfig,
  world: DeliverWorld,
  places: Places,
): Promise<DeliveryAnswer | { needless: string } | Busy> {
  const parcel = findParcel(config, { ...request, message: asOfNow(request.message, Date.now()) });
  if ('gone' in parcel) return { delivered: false, reason: parcel.gone, isFinal: isGoneForGood(config) };
  const refusal = await whyNot(request, world);
  return refusal ?? (await attemptInPlace(parcel, request, world, places));
}

/** While a new mesh.yaml is handed out, the message may have been written by a worker that has it, and be here with one that has not. */
function isGoneForGood({ notify }: MeshConfig): boolean {
  return elapsedMs() >= notify.retry.quickForMs;
}

/** Good news may come late, after attempts that failed: it must not close what is broken again by then. */
async function whyNot(
  { closes: key, message, team, channel }: DeliveryRequest,
  { workflows }: DeliverWorld,
): Promise<{ needless: string } | Undelivered | undefined> {
  if (key === undefined) return undefined;
  try {
    const isOpenAgain = await workflows.isAlertOpen(message.tenant, { team, channel, key });
    return isOpenAgain ? { needless: 'left open: it has been opened again meanwhile' } : undefined;
  } catch (error) {
    const reason = `the watch could not be asked whether it has been opened again: ${messageOf(error)}`;
    return { delivered: false, reason, isFinal: false };
  }
}

/** A receiver that hangs, or a storm of messages, takes no more than its share of what the worker does at once. */
async function attemptInPlace(
  parcel: Parcel<ChannelConfig>,
  request: DeliveryRequest,
  world: DeliverWorld,
  places: Places,
): Promise<DeliveryAnswer | Busy> {
  const { cancelled, cancellationSignal } = Context.current();
  const prepared = channelOf(parcel.channel).prepare(parcel);
  const place = await places.take(prepared.receiver, cancellationSignal);
  if (!place && cancellationSignal.aborted) return await cancelled;
  if (!place) return { busy: 'This worker has other messages for the same receiver under way' };
  try {
    return await attemptInTime(prepared, parcel, request, world);
  } finally {
    place.leave();
  }
}

/** Time for a channel to say how far it came, once it is told to end. */
const LEFT_BEHIND_AFTER_MS = 1_000;

/** A channel ends when it is told to; one that does not is left behind, so that the others of its worker go on. */
async function attemptInTime(
  prepared: Prepared,
  { channel, config }: Parcel<ChannelConfig>,
  { timeoutMs: givenMs }: DeliveryRequest,
  { env, mailers, outbound }: DeliverWorld,
): Promise<DeliveryAnswer> {
  const { cancelled, cancellationSignal } = Context.current();
  const timeoutMs = Math.min(givenMs, channelOf(channel).attemptLimitMs ?? Infinity);
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<DeliveryAnswer>((resolve) => {
    timer = setTimeout(() => {
      limit.abort();
      timer = setTimeout(() => resolve(tooLate(timeoutMs, false)), LEFT_BEHIND_AFTER_MS);
    }, timeoutMs);
  });
  const sending = prepared.send({
    mailers,
    outbound,
    secret: (written) => resolveSecret(written, config.folder, env),
    timeoutMs,
    signal: AbortSignal.any([cancellationSignal, limit.signal]),
    nowMs: Date.now,
  });
  try {
    const answer = await Promise.race([sending.catch(answerOfError), timeout, cancelled]);
    if (answer.delivered) return answer;
    // What a channel says of being ended is not the reason; why it was ended is.
    if (cancellationSignal.aborted) return await cancelled;
    if (!limit.signal.aborted) return answer;
    return tooLate(timeoutMs, answer.mayHaveArrived === true);
  } finally {
    clearTimeout(timer);
  }
}

function tooLate(timeoutMs: number, mayHaveArrived: boolean): DeliveryAnswer {
  if (!mayHaveArrived) return { delivered: false, reason: `not taken within ${timeoutMs}ms`, isFinal: false };
  const reason = `sent, and no answer within ${timeoutMs}ms whether it was taken`;
  return { delivered: false, reason, isFinal: false, mayHaveArrived };
}

/** Such as a secret that is not there: whoever mends it should not have to send the message by hand. */
function answerOfError(error: unknown): DeliveryAnswer {
  return { delivered: false, reason: messageOf(error), isFinal: false };
}

/** No attempt was made, so none of those is used up that the rule allows. */
function busyFailure(busy: string, { attempts, lastError }: Memory): Error {
  // It may be the last thing that is known when the server ends it.
  const message = lastError === undefined ? busy : `${busy}; before that: ${lastError}`;
  return failure({ type: 'delivery-failed', message, retryAfterMs: waitWhileBusy(attempt() - attempts), attempts });
}

function deliveryFailure(
  { reason, isFinal, retryAfterMs: askedMs, mayHaveArrived, after }: Undelivered & { after: Required<Memory> },
  { retry: rule }: DeliveryRequest,
  { notify }: MeshConfig,
): Error {
  const { attempts, perhapsArrived } = after;
  if (isFinal) return failure({ type: 'delivery-refused', message: reason, isFinal, attempts });
  const failed = { attempt: attempts, elapsedMs: elapsedMs(), askedMs, ...(mayHaveArrived && { perhapsArrived }) };
  const next = nextTry(failed, notify.retry, rule);
  if ('waitMs' in next) {
    return failure({ type: 'delivery-failed', message: reason, retryAfterMs: next.waitMs, attempts });
  }
  return failure({ type: 'delivery-refused', message: `${next.never}: ${reason}`, isFinal: true, attempts });
}

/** Since the first attempt was due. */
function elapsedMs(): number {
  return Math.max(0, Date.now() - Context.current().info.scheduledTimestampMs);
}

/** Fails, and is tried again, when the watch cannot be told: the receiver knows the alert by its key, and takes it once. */
async function noteAlert(
  { alert, team, channel }: DeliveryRequest,
  { alert: opened }: Extract<DeliveryAnswer, { delivered: true }>,
  { workflows }: DeliverWorld,
): Promise<void> {
  if (!alert || !opened) return;
  await workflows.tellWatchOfAlert(alert.tenant, { ...alert, team, channel, ...opened, openedAt: Date.now() });
}
