import { expect, test } from 'vitest';
import { planRetry } from '#client/plan-retry.js';
import type { ActionResult, AgentOutcome, Launch, RemediationProgress } from '#contract/remediation.js';
import { aRemediation } from '#test/support/a-remediation.js';

const { actions } = aRemediation([{ type: 'spawn_fallback_agent', id: 'agent' }]);
const FAILED = { action: 'agent', type: 'spawn_fallback_agent', status: 'failed', attempts: 1 } as const;

function ofAgent(outcome: AgentOutcome, status: Launch['status'], session = 's', launcher = 'runtime'): ActionResult {
  const agent = { launcher, session, outcome, outputTail: 'gave up' };
  return { ...FAILED, agent, launches: [{ launcher, status, attempts: 1, agent: { session, outcome } }] };
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

test('keeps what was known before, each agent once', () => {
  const before = [ended('failed', 'first'), ended('failed', 'other', 'b')];

  expect(retry(FAILED, before).earlier).toEqual(before);
  expect(retry(ofAgent('timeout', 'launched', 'second'), before).earlier).toEqual(before);
  expect(retry(ofAgent('failed', 'failed', 'second'), before).earlier).toEqual([...before, ended('failed', 'second')]);
  expect(retry(ofAgent('failed', 'failed', 'first'), before).earlier).toEqual([before[1], before[0]]);
});

test('knows an agent that had ended before another launcher was tried, whatever became of that one', () => {
  const agent = { session: 's', outcome: 'failed' } as const;
  const first: Launch = { launcher: 'runtime', status: 'failed', attempts: 1, agent };
  const unasked: Launch = { launcher: 'script', status: 'failed', attempts: 2 };
  const second: Launch = { ...unasked, agent: { session: 't', outcome: 'failed' } };

  expect(retry({ ...FAILED, launches: [first, unasked] }).earlier).toEqual([ended('failed')]);
  expect(retry({ ...FAILED, launches: [first, second] }).earlier).toEqual([
    ended('failed'),
    ended('failed', 't', 'script'),
  ]);
  expect(retry({ ...FAILED, status: 'aborted', launches: [first] }).earlier).toEqual([ended('failed')]);
  const running = { action: 'agent', type: 'spawn_fallback_agent', status: 'running', launches: [first] } as const;
  expect(retry({ ...running, launches: [first] }).earlier).toEqual([{ ...ended('failed'), attempts: 0 }]);
});

test.each<[string, Launch, ActionResult[]]>([
  ['one that was launched and may go on', launchOf('launched', 'running'), []],
  ['one that nobody has heard of in time', launchOf('launched', 'timeout'), []],
  ['one whose time was over', launchOf('failed', 'timeout'), [ended('timeout')]],
  ['one that was declined', launchOf('failed', 'failed'), [ended('failed')]],
])('goes by the record of the launcher: %s', (_what, launch, earlier) => {
  expect(retry({ ...FAILED, launches: [launch] }).earlier).toEqual(earlier);
});

function launchOf(status: Launch['status'], outcome: AgentOutcome): Launch {
  return { launcher: 'runtime', status, attempts: 1, agent: { session: 's', outcome } };
}
