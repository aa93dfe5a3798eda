import {
  ActivityCancellationType,
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  rootCause,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { ActionActivities, ActionReport, AttemptDetails, NotificationDraft } from '../contract/activities.js';
import { recipientEffectKey } from '../contract/ids.js';
import type { ActionPlan, ActionResult, NotifyPlan, RemediationInput } from '../contract/remediation.js';
import { summaryOf } from '../contract/summary.js';
import type { Progress } from './progress.js';

/** Runs one action to its end and notes the result. Never throws: a failure is a result. */
export async function runAction(plan: ActionPlan, remediation: RemediationInput, progress: Progress): Promise<void> {
  const done = (result: Omit<ActionResult, 'action' | 'type'>) =>
    progress.finish({ action: plan.name, type: plan.type, ...result });

  if (CancellationScope.current().consideredCancelled) {
    return done({ status: 'aborted', reason: 'aborted before it started', attempts: 0 });
  }
  progress.start(plan.name);
  try {
    done(await act(plan, remediation, progress.soFar()));
  } catch (error) {
    done(resultOfFailure(error));
  }
}

function act(plan: ActionPlan, remediation: RemediationInput, soFar: ActionResult[]): Promise<Outcome> {
  switch (plan.type) {
    case 'spawn_fallback_agent': {
      const { spawnFallbackAgent } = activities(plan, `start ${plan.agentType ?? 'default'} agent`);
      return spawnFallbackAgent({ plan, remediation, soFar });
    }
    case 'warm_remote_capacity': {
      const { warmRemoteCapacity } = activities(plan, 'ask the bridge for capacity');
      return warmRemoteCapacity({ plan, remediation, soFar });
    }
    case 'notify_team':
      return notify(plan, remediation, soFar);
  }
}

type Outcome = ActionReport | Omit<ActionResult, 'action' | 'type'>;

/** One activity per recipient, each with its own retries: one mailbox that refuses delays nobody else's message. */
async function notify(plan: NotifyPlan, remediation: RemediationInput, soFar: ActionResult[]): Promise<Outcome> {
  const { composeNotification } = activities(plan, 'find the recipients and write the message');
  const draft = await composeNotification({ plan, remediation, soFar });
  if (draft.status === 'skipped') return { status: 'skipped', reason: draft.reason, attempts: 1 };

  const deliveries = await Promise.all(
    draft.recipients.map((recipient) => deliver(plan, remediation, draft, recipient)),
  );
  const attempts = Math.max(...deliveries.map((delivery) => delivery.attempts));
  const missed = deliveries.filter(({ status }) => status === 'failed' || status === 'aborted');
  if (missed.length > 0) {
    const reason = missed.map((delivery) => `${delivery.recipient}: ${delivery.reason ?? delivery.status}`).join('; ');
    const status = missed.some((delivery) => delivery.status === 'failed') ? 'failed' : 'aborted';
    return { status, reason: `not delivered to ${reason}`, attempts };
  }
  const how = [...new Set(deliveries.flatMap(({ detail }) => detail ?? []))];
  const detail = [`Team notification sent to ${deliveries.length} recipient(s)`, ...how, draft.note ?? '']
    .filter((part) => part !== '')
    .join('; ');
  return { status: 'executed', detail, attempts };
}

type Draft = Extract<NotificationDraft, { status: 'ready' }>;

async function deliver(
  plan: NotifyPlan,
  remediation: RemediationInput,
  draft: Draft,
  recipient: Draft['recipients'][number],
): Promise<Outcome & { recipient: string }> {
  const { deliverNotification } = activities(plan, `notify ${recipient.name}`);
  try {
    const report = await deliverNotification({
      effectKey: recipientEffectKey(plan.effectKey, recipient.name),
      threadKey: `${remediation.rule}/${remediation.event.session ?? remediation.event.id}`,
      recipient,
      message: draft.message,
      timeoutMs: plan.timeoutMs,
    });
    return { ...report, recipient: recipient.name };
  } catch (error) {
    return { ...resultOfFailure(error), recipient: recipient.name };
  }
}

function activities(plan: ActionPlan, summary: string) {
  const options: ActivityOptions = {
    // The action keeps its own time limit and says so; this one is for a worker that no longer can.
    startToCloseTimeout: plan.timeoutMs + TIMEOUT_GRACE_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: {
      maximumAttempts: plan.retry.maxAttempts,
      initialInterval: plan.retry.initialIntervalMs,
      maximumInterval: plan.retry.maxIntervalMs,
      backoffCoefficient: 2,
    },
    // An abort is over when the agent's processes are gone, not when they were asked to go.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: summaryOf(`${summary} (${plan.name})`),
  };
  return proxyActivities<ActionActivities>(options);
}

/** Time for a process group to be ended after the limit. */
const TIMEOUT_GRACE_MS = 15_000;
/** A worker that dies is noticed after this long, and the action is tried again elsewhere. */
const HEARTBEAT_TIMEOUT_MS = 10_000;

function resultOfFailure(error: unknown): Omit<ActionResult, 'action' | 'type'> {
  if (isCancellation(error)) return { status: 'aborted', reason: 'aborted while it ran', attempts: attemptsOf(error) };
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const details = detailsOf(error);
  return {
    status: 'failed',
    reason: reasonOf(cause),
    ...(details?.detail !== undefined && { detail: details.detail }),
    attempts: attemptsOf(error),
  };
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof TimeoutFailure))
    return (cause instanceof Error ? cause.message : rootCause(cause)) || 'failed';
  if (cause.timeoutType === 'HEARTBEAT') return 'the worker that ran it stopped responding';
  return `timed out (${cause.timeoutType})`;
}

/** The server does not tell a workflow how often an activity was tried, so each attempt leaves its number behind. */
function attemptsOf(error: unknown): number {
  return detailsOf(error)?.attempts ?? 1;
}

function detailsOf(error: unknown): AttemptDetails | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) return cause.details?.[0] as AttemptDetails | undefined;
  if (cause instanceof TimeoutFailure) return cause.lastHeartbeatDetails as AttemptDetails | undefined;
  return undefined;
}
