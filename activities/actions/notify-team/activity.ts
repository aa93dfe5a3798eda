import { Context } from '@temporalio/activity';
import type { MeshConfig } from '../../../config/mesh-config.js';
import { resolveSecret } from '../../../config/secret.js';
import type { ActionActivities } from '../../../contract/activities.js';
import { duration } from '../../../contract/duration.js';
import { messageOf } from '../../../contract/message-of.js';
import type { DeliveryRequest } from '../../../contract/notification.js';
import { attempt, failure } from '../../fail.js';
import { withHeartbeat } from '../../heartbeat.js';
import { loadConfig } from '../../load-config.js';
import { redactorOf } from '../../redactor-of.js';
import type { World } from '../../world.js';
import type { DeliveryAnswer, Prepared } from './channel.js';
import { channelOf } from './channels/index.js';
import { findParcel } from './find-parcel.js';
import { waitBeforeRetry } from './retry-ladder.js';

type DeliverWorld = Pick<World, 'config' | 'redactKeys' | 'env' | 'mailer' | 'outbound' | 'workflows'>;

/** One attempt to bring one message through one channel. Addresses and secrets are looked up anew each time. */
export function makeDeliverNotification(world: DeliverWorld): ActionActivities['deliverNotification'] {
  return async (request) => {
    const config = await loadConfig(world.config);
    const parcel = findParcel(config, request);
    if ('gone' in parcel) throw failure({ type: 'delivery-refused', message: parcel.gone, isFinal: true });

    const prepared = channelOf(parcel.channel).prepare(parcel);
    const answer = await withHeartbeat(() => attemptInTime(prepared, request, config, world));
    if (!answer.delivered) {
      throw deliveryFailure(
        { ...answer, reason: redactorOf(config, world.redactKeys).text(answer.reason) },
        request,
        config,
      );
    }
    await noteIncident(request, answer, world);
    return { status: 'executed', detail: answer.detail, attempts: attempt() };
  };
}

/** A channel ends when it is told to; one that does not is left behind, so that the others of its worker go on. */
async function attemptInTime(
  prepared: Prepared,
  { timeoutMs }: DeliveryRequest,
  config: MeshConfig,
  { env, mailer, outbound }: DeliverWorld,
): Promise<DeliveryAnswer> {
  const { cancelled, cancellationSignal } = Context.current();
  const limit = new AbortController();
  const late: DeliveryAnswer = { delivered: false, reason: `not taken within ${timeoutMs}ms`, isFinal: false };
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<DeliveryAnswer>((resolve) => {
    timer = setTimeout(() => {
      limit.abort();
      resolve(late);
    }, timeoutMs);
  });
  const sending = prepared.send({
    mailer,
    outbound,
    secret: (written) => resolveSecret(written, config.folder, env),
    timeoutMs,
    signal: AbortSignal.any([cancellationSignal, limit.signal]),
    nowMs: Date.now,
  });
  try {
    const answer = await Promise.race([sending.catch(answerOfError), timeout, cancelled]);
    // What a channel says of being ended is not the reason; why it was ended is.
    if (!answer.delivered && cancellationSignal.aborted) return await cancelled;
    return !answer.delivered && limit.signal.aborted ? late : answer;
  } finally {
    clearTimeout(timer);
  }
}

/** Such as a secret that is not there: whoever mends it should not have to send the message by hand. */
function answerOfError(error: unknown): DeliveryAnswer {
  return { delivered: false, reason: messageOf(error), isFinal: false };
}

function deliveryFailure(
  { reason, isFinal, retryAfterMs: askedMs }: Extract<DeliveryAnswer, { delivered: false }>,
  { retry: rule }: DeliveryRequest,
  { notify }: MeshConfig,
): Error {
  if (isFinal) return failure({ type: 'delivery-refused', message: reason, isFinal });
  const elapsedMs = Math.max(0, Date.now() - Context.current().info.scheduledTimestampMs);
  const retryAfterMs = waitBeforeRetry({ attempt: attempt(), elapsedMs, askedMs }, notify.retry, rule);
  if (retryAfterMs !== undefined) return failure({ type: 'delivery-failed', message: reason, retryAfterMs });
  const message = `gave up after ${duration(elapsedMs)}: ${reason}`;
  return failure({ type: 'delivery-refused', message, isFinal: true });
}

/** Fails, and is tried again, when the watch cannot be told: the receiver knows the incident by its key, and takes it once. */
async function noteIncident(
  { incident, team, channel }: DeliveryRequest,
  { incident: opened }: Extract<DeliveryAnswer, { delivered: true }>,
  { workflows }: DeliverWorld,
): Promise<void> {
  if (!incident || !opened) return;
  await workflows.tellWatchOfIncident(incident.tenant, { ...incident, team, channel, ...opened, openedAt: Date.now() });
}
