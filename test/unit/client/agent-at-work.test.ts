import type { WorkflowExecutionDescription } from '@temporalio/client';
import { expect, test } from 'vitest';
import { agentAtWork } from '#client/remediations.js';
import type { RemediationProgress } from '#contract/remediation.js';
import { aDetail } from './cli/render/samples.js';

type Pending = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>;
type States = RemediationProgress['actions'];

const { actions } = aDetail();
const AGENT = { action: 'agent', type: 'spawn_fallback_agent', status: 'running' } as const;
const ATTEMPT = {
  activityType: { name: 'spawnFallbackAgent' },
  state: 2,
  lastStartedTime: { nanos: 7_000_000 },
};

function find(states: States | undefined, ...pendingActivities: Pending) {
  const raw = { pendingActivities } as unknown as WorkflowExecutionDescription['raw'];
  return agentAtWork({ raw }, actions, states && { outcome: 'running', actions: states });
}

test('an agent is at work since its attempt began, for as long as its rule allows', () => {
  const others = { activityType: { name: 'deliverNotification' }, state: 2, lastStartedTime: {} };

  expect(find([AGENT], others, ATTEMPT)).toEqual({ action: 'agent', sinceAt: 7, untilAt: 1_007 });
});

test.each<[string, States | undefined, Pending]>([
  ['no worker says what runs', undefined, [ATTEMPT]],
  ['nobody is with it', [AGENT], []],
  ['its attempt waits for a worker', [AGENT], [{ ...ATTEMPT, state: 1 }]],
  ['several actions start agents', [AGENT, { ...AGENT, action: 'other' }], [ATTEMPT]],
  ['several attempts run', [AGENT], [ATTEMPT, ATTEMPT]],
])('nothing is said when %s', (_when, states, pending) => {
  expect(find(states, ...pending)).toBeUndefined();
});
