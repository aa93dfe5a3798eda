import { proxyActivities, sleep } from '@temporalio/workflow';
import type { ActionPlan } from '#contract/actions/index.js';
import type { ActionActivities } from '#contract/activities.js';
import { recipientEffectKey } from '#contract/ids.js';
import type { DeliveryDetails, DeliveryRequest, NotificationDraft, PlannedDelivery } from '#contract/notification.js';
import type { DeliveryRecord, Doing } from '#contract/remediation.js';
import { byteLength } from '../../byte-length.js';
import type { RunningNews } from '../../progress.js';
import { activityOptions, TIMEOUT_GRACE_MS } from '../activity-options.js';
import { detailsOf, resultOfFailure } from '../failure-result.js';

type Draft = Extract<NotificationDraft, { status: 'ready' }>;
type Plan = Pick<ActionPlan, 'name' | 'effectKey' | 'timeoutMs' | 'retry'>;

/**
 * One activity per delivery, each with its own retries: a receiver that refuses delays nobody else's message. What a run
 * before this one has delivered is not delivered again.
 */
export async function deliverAll(
  draft: Draft,
  plan: Plan,
  delivered: DeliveryRecord[],
  show: (news: RunningNews) => void,
): Promise<DeliveryRecord[]> {
  const records = new Map(delivered.map((record) => [record.delivery, record]));
  const due = draft.deliveries.filter(({ delivery }) => !records.has(delivery));
  const untilAt = Date.now() + draft.giveUpAfterMs;
  const showProgress = () => {
    const open = due.filter(({ delivery }) => !records.has(delivery)).map(({ delivery }) => delivery);
    const doing: Doing | undefined = open.length === 0 ? undefined : { is: 'delivering', open, untilAt };
    show({ deliveries: inOrder(draft, records), doing });
  };
  showProgress();
  const perAnswer = Math.max(1, Math.floor(MAX_ANSWER_BYTES / byteLength(draft.message)));
  const underWay: Promise<void>[] = [];
  for (const [place, planned] of due.entries()) {
    if (place > 0 && place % perAnswer === 0) await nextAnswer();
    underWay.push(deliverOne(planned));
  }
  await Promise.all(underWay);
  return inOrder(draft, records);

  async function deliverOne(planned: PlannedDelivery): Promise<void> {
    records.set(planned.delivery, await deliver(requestFor(planned, draft, plan), draft, plan));
    showProgress();
  }
}

/** Each delivery carries the message, and the server ends a workflow whose answer to one task is above 4 MiB. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

/** Goes on in the next task. After an abort there is none to wait for: what is not sent yet says by itself that it is aborted. */
async function nextAnswer(): Promise<void> {
  await sleep(1).catch(() => undefined);
}

function requestFor(planned: PlannedDelivery, { threadKey, message }: Draft, plan: Plan): DeliveryRequest {
  return {
    ...planned,
    effectKey: recipientEffectKey(plan.effectKey, planned.delivery),
    threadKey,
    message,
    timeoutMs: plan.timeoutMs,
    retry: plan.retry,
  };
}

async function deliver(request: DeliveryRequest, draft: Draft, plan: Plan): Promise<DeliveryRecord> {
  const { delivery, channel, recipient } = request;
  // The activity counts its attempts by itself: the server also counts those that found the receiver busy.
  const retry = { ...plan.retry, maxAttempts: undefined };
  const { deliverNotification } = proxyActivities<Pick<ActionActivities, 'deliverNotification'>>({
    ...activityOptions({ ...plan, retry }, `tell ${recipient} by ${channel}`, 'messages'),
    // The activity gives up by itself, and says why; this is for when no worker is there to run it.
    scheduleToCloseTimeout: draft.giveUpAfterMs + plan.timeoutMs + TIMEOUT_GRACE_MS,
  });
  const of = { delivery, channel, recipient };
  try {
    const { status, reason, detail, attempts, lastError, isFile } = await deliverNotification(request);
    const said = detail !== undefined && { detail };
    if (status === 'executed') {
      const end = isFile ? 'written' : 'delivered';
      return { ...of, status: end, attempts, ...said, ...(lastError !== undefined && { error: lastError }) };
    }
    return { ...of, status, attempts, ...said, error: reason ?? 'not sent' };
  } catch (error) {
    const { status, reason, detail, attempts } = resultOfFailure(error);
    const said = detail !== undefined && { detail };
    const why = reason ?? 'not sent';
    if (status !== 'aborted') return { ...of, status: 'failed', attempts, ...said, error: why };
    // Only an attempt that ran can say it, as how many there were: of an abort between two the server tells nothing of them.
    const before = detailsOf<DeliveryDetails>(error)?.lastError;
    const lastError = before === undefined ? '' : `; before that: ${before}`;
    return { ...of, status, attempts, ...said, error: `${why}${lastError}` };
  }
}

/** As they were planned; before them those of an earlier run that are planned no more. */
function inOrder({ deliveries }: Draft, records: ReadonlyMap<string, DeliveryRecord>): DeliveryRecord[] {
  const planned = deliveries.map(({ delivery }) => delivery);
  return [...records.values()].sort((a, b) => planned.indexOf(a.delivery) - planned.indexOf(b.delivery));
}
