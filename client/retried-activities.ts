import type { LoadedDataConverter } from '@temporalio/common';
import {
  decodeFromPayloadsAtIndex,
  decodeOptionalFailureToOptionalError,
  decodeOptionalSinglePayload,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { ActionPlan } from '#contract/actions/index.js';
import { recipientEffectKey } from '#contract/ids.js';
import type { RetriedActivity } from '#contract/views/actions.js';
import { millisecondsOf } from './run-summary.js';

type Pending = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];
type History = Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>['history'];
type HistoryEvent = NonNullable<NonNullable<History>['events']>[number];

/** The activities of a run that have failed at least once and are not given up. The server knows this; the workflow does not. */
export async function retriedActivities(
  client: Client,
  description: WorkflowExecutionDescription,
  actions: readonly ActionPlan[],
): Promise<RetriedActivity[]> {
  const retried = (description.raw.pendingActivities ?? []).filter(({ lastFailure }) => lastFailure);
  if (retried.length === 0) return [];
  const scheduled = await scheduledEvents(client, description, new Set(retried.map(idOf)));
  const { loadedDataConverter: converter } = client.options;
  return Promise.all(
    retried.map(async (pending) => ({
      ...(await whatItIs(scheduled.get(idOf(pending)), actions, converter)),
      ...(await howItStands(pending, converter)),
    })),
  );
}

function idOf({ activityId }: Pending): string {
  return activityId ?? '';
}

/** The server describes a pending activity without its input and summary. The event that scheduled it has both. */
async function scheduledEvents(
  client: Client,
  { workflowId, runId }: WorkflowExecutionDescription,
  wanted: ReadonlySet<string>,
): Promise<Map<string, HistoryEvent>> {
  const found = new Map<string, HistoryEvent>();
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      ...(nextPageToken && { nextPageToken }),
    });
    for (const event of page.history?.events ?? []) {
      const id = event.activityTaskScheduledEventAttributes?.activityId;
      if (id && wanted.has(id)) found.set(id, event);
    }
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken && found.size < wanted.size);
  return found;
}

type Identity = Pick<RetriedActivity, 'action' | 'delivery' | 'doing'>;

async function whatItIs(
  event: HistoryEvent | undefined,
  actions: readonly ActionPlan[],
  converter: LoadedDataConverter,
): Promise<Identity> {
  const attributes = event?.activityTaskScheduledEventAttributes;
  const summary = await decodeOptionalSinglePayload<string>(converter, event?.userMetadata?.summary);
  const doing = summary ?? attributes?.activityType?.name ?? 'an activity';
  const payloads = attributes?.input?.payloads;
  const input = payloads?.length
    ? await decodeFromPayloadsAtIndex<Partial<Request> | null>(converter, 0, payloads)
    : null;
  return { ...placeOf(input ?? {}, actions), doing };
}

/** What the inputs of activities have that tells which action they are part of. */
interface Request {
  plan: Pick<ActionPlan, 'name'>;
  delivery: string;
  effectKey: string;
}

function placeOf(
  { plan, delivery, effectKey }: Partial<Request>,
  actions: readonly ActionPlan[],
): Omit<Identity, 'doing'> {
  if (delivery === undefined) return plan ? { action: plan.name } : {};
  const of = actions.find((action) => recipientEffectKey(action.effectKey, delivery) === effectKey);
  return { ...(of && { action: of.name }), delivery };
}

async function howItStands(
  pending: Pending,
  converter: LoadedDataConverter,
): Promise<Omit<RetriedActivity, keyof Identity>> {
  const { attempt, nextAttemptScheduleTime: next, lastFailure } = pending;
  const state = stateOf(pending);
  return {
    state,
    attempt: attempt ?? 1,
    lastError: await reasonOf(lastFailure, converter),
    ...(state === 'waiting' && { nextAt: millisecondsOf(next) }),
  };
}

const SCHEDULED = 1;
const PAUSED = 4;

function stateOf({ state, paused, nextAttemptScheduleTime: next }: Pending): RetriedActivity['state'] {
  if (Number(state) === PAUSED || (paused && Number(state) === SCHEDULED)) return 'paused';
  if (Number(state) !== SCHEDULED) return 'running';
  return next ? 'waiting' : 'queued';
}

const HEARTBEAT = 4;

async function reasonOf(failure: Pending['lastFailure'], converter: LoadedDataConverter): Promise<string> {
  if (Number(failure?.timeoutFailureInfo?.timeoutType) === HEARTBEAT) {
    return 'the worker that ran it stopped responding';
  }
  const error = await decodeOptionalFailureToOptionalError(converter, failure);
  return error?.message || 'it gave no reason';
}
