import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { ActionPlan } from '#contract/actions/index.js';
import type { ActionActivities } from '#contract/activities.js';
import type { AgentAtWork } from '#contract/views/remediation.js';
import type { RemediationProgress } from '#contract/remediation.js';
import { millisecondsOf } from './run-summary.js';

/**
 * Since when a worker has been with the agent of an action, and how long it stays. The server does not tell which action an
 * activity is part of without its history, which would be read again with every look: of several agents at once this says nothing.
 */
export function agentAtWork(
  { raw }: Pick<WorkflowExecutionDescription, 'raw'>,
  actions: readonly ActionPlan[],
  progress: RemediationProgress | undefined,
): AgentAtWork | undefined {
  const running = (progress?.actions ?? []).filter(({ type, status }) => type === SPAWN && status === 'running');
  const attempts = (raw.pendingActivities ?? []).filter(
    ({ activityType, state }) => activityType?.name === ACTIVITY && Number(state) === STARTED,
  );
  const [[state, ...otherStates], [attempt, ...otherAttempts]] = [running, attempts];
  const plan = actions.find(({ name }) => name === state?.action);
  if (!plan || !attempt?.lastStartedTime || otherStates.length > 0 || otherAttempts.length > 0) return undefined;
  const sinceAt = millisecondsOf(attempt.lastStartedTime);
  return { action: plan.name, sinceAt, untilAt: sinceAt + plan.timeoutMs };
}

const SPAWN: ActionPlan['type'] = 'spawn_fallback_agent';
const ACTIVITY: keyof ActionActivities = 'spawnFallbackAgent';
const STARTED = 2;
