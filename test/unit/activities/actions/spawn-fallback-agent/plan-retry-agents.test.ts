import { expect, test } from 'vitest';
import { planRetry } from '../../../../../client/plan-retry.js';
import type { ActionResult, AgentOutcome, Launch, RemediationProgress } from '../../../../../contract/remediation.js';
import { aRemediation } from '../../../../support/a-remediation.js';

const { actions } = aRemediation([{ type: 'spawn_fallback_agent', id: 'agent' }]);
const FAILED = { action: 'agent', type: 'spawn_fallback_agent', status: 'failed', attempts: 1 } as const;

function ofAgent(outcome: AgentOutcome, status: Launch['status'], session = 's', launcher = 'runtime'): ActionResult {
  const agent = { launcher, session, outcome, outputTail: 'gave up' };
  return { ...FAILED, agent, launches: [{ launcher, status, attempts: 1 }] };
}

function ended(outcome: AgentOutcome, session = 's', launcher = 'runtime'): ActionResult {
  return { ...FAILED, agent: { launcher, session, outcome } };
}

function retry(state: RemediationProgress['actions'][number], before?: ActionResult[]) {
  return planRetry(actions, { outcome: 'failed', actions: [state] }, before);
}

test.each([
  ['an agent that failed', ofAgent('failed', 'failed'), [ended('failed')]],
  ['one that reported that its time was over', ofAgent('timeout', 'failed'), [ended('timeout')]],
  ['not one that nobody has heard of in time', ofAgent('timeout', 'launched'), []],
  ['not one that was never launched', FAILED, []],
  ['not one that went on after an abort', { ...ofAgent('running', 'launched'), status: 'aborted' as const }, []],
])('hands on that it has ended: %s', (_what, state, earlier) => {
  expect(retry(state)).toEqual({ again: ['agent'], earlier });
});

test('keeps what was known before, until a newer agent of that launcher has ended', () => {
  const before = [ended('failed', 'first'), ended('failed', 'other', 'b')];

  expect(retry(FAILED, before).earlier).toEqual(before);
  expect(retry(ofAgent('timeout', 'launched', 'second'), before).earlier).toEqual(before);
  expect(retry(ofAgent('failed', 'failed', 'second'), before).earlier).toEqual([before[1], ended('failed', 'second')]);
});
