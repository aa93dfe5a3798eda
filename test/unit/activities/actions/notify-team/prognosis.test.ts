import { expect, test } from 'vitest';
import { prognosisOf } from '#activities/actions/notify-team/message/prognosis.js';
import type { ActionRequest } from '#contract/activities.js';
import type { NotifyPlan } from '#contract/actions/notify-team/schema.js';
import type { ActionResult, StartedAgent } from '#contract/remediation.js';
import type { WrittenAction } from '#test/support/builders.js';
import { aNotifyRequest, aRemediation } from '#test/support/notifications.js';

const TRY: WrittenAction = { type: 'spawn_fallback_agent', id: 'try-again' };
const WARM: WrittenAction = { type: 'warm_remote_capacity', id: 'more-runners' };
const FIRST: WrittenAction = { type: 'notify_team', id: 'first' };
const TELL: WrittenAction = { type: 'notify_team', id: 'tell' };

const tried = (status: ActionResult['status'], outcome?: StartedAgent['outcome']): ActionResult => ({
  action: 'try-again',
  type: 'spawn_fallback_agent',
  status,
  attempts: 1,
  ...(outcome && { agent: { launcher: 'codex', outcome } }),
});
const warmed = (status: ActionResult['status'], attempts = 1): ActionResult => ({
  action: 'more-runners',
  type: 'warm_remote_capacity',
  status,
  attempts,
});
const told: ActionResult = { action: 'first', type: 'notify_team', status: 'executed', attempts: 1 };

type Given = Pick<ActionRequest<NotifyPlan>, 'soFar'> & Partial<ActionRequest<NotifyPlan>>;

function prognosis(actions: WrittenAction[], given: Given, outcome: 'failed' | 'success' | 'unknown' = 'failed') {
  return prognosisOf(aNotifyRequest(aRemediation({ actions, event: { outcome } }), given)).prognosis;
}

test.each<[string, WrittenAction[], Given, string]>([
  [
    'an agent has failed',
    [TRY, WARM, TELL],
    { soFar: [tried('failed', 'failed'), warmed('executed')] },
    'Not mended: try-again failed, more-runners worked. The mesh starts nothing more: it is yours now.',
  ],
  [
    'an agent has ended well',
    [WARM, TRY, TELL],
    { soFar: [warmed('failed'), tried('executed', 'success')] },
    'May be mended: more-runners failed, codex ended well. The mesh starts nothing more.',
  ],
  [
    'an agent was started, and nobody waits for it',
    [TRY, TELL],
    { soFar: [tried('executed', 'running')] },
    'Nobody knows yet whether it is mended: codex was started and nobody waits for its end. The mesh starts nothing more.',
  ],
  [
    'there is only capacity',
    [WARM, TELL],
    { soFar: [warmed('executed')] },
    'Nobody knows yet whether it is mended: more-runners worked. The mesh starts nothing more.',
  ],
  [
    'capacity could not be had',
    [WARM, TELL],
    { soFar: [warmed('skipped')] },
    'Not mended: more-runners was skipped. The mesh starts nothing more: it is yours now.',
  ],
  [
    'one was not needed',
    [TRY, { ...WARM, onlyIf: 'success' }, TELL],
    { soFar: [tried('failed', 'timeout'), warmed('skipped', 0)] },
    'Not mended: try-again failed. The mesh starts nothing more: it is yours now.',
  ],
  [
    'one is at work and one is to come',
    [TRY, TELL, WARM],
    { soFar: [], pending: [{ action: 'try-again', type: 'spawn_fallback_agent', status: 'running' }] },
    'Still at work: try-again not done yet, more-runners comes next.',
  ],
  [
    'one after this runs only if need be',
    [TRY, { ...TELL, onlyIf: 'success' }, { ...WARM, onlyIf: 'failed' }],
    { soFar: [tried('executed', 'success')] },
    'May be mended: codex ended well. more-runners may come next.',
  ],
  [
    'an agent may still be at work after its action failed',
    [TRY, TELL],
    { soFar: [tried('failed', 'running')] },
    'Nobody knows yet whether it is mended: try-again failed, but codex may still be at work. The mesh starts nothing more.',
  ],
  [
    'only others are told after this',
    [TRY, TELL, { ...FIRST, onlyIf: 'failed' }],
    { soFar: [tried('failed')] },
    'Not mended: try-again failed.',
  ],
  [
    'the rule only tells people',
    [FIRST, TELL],
    { soFar: [told] },
    'The mesh has tried nothing. It starts nothing more: it is yours now.',
  ],
])('when %s, the line says so', (_, actions, given, line) => {
  expect(prognosis(actions, given)).toBe(line);
});

test('in a retry, what a run before it has done after this message is no work to come', () => {
  const given = aRemediation({ actions: [FIRST, TRY, WARM], event: { outcome: 'failed' } });
  const earlier = [tried('executed', 'success'), warmed('aborted')];

  const request = aNotifyRequest({ ...given, earlier }, { soFar: [] }, 'first');

  expect(prognosisOf(request).prognosis).toBe('Still at work: codex ended well, more-runners comes next.');
  expect(
    prognosisOf({ ...request, remediation: { ...given, earlier: [tried('failed', 'failed'), warmed('executed')] } })
      .prognosis,
  ).toBe('Still at work: more-runners worked, try-again comes next.');
  expect(
    prognosisOf({ ...request, remediation: { ...given, earlier: [tried('executed', 'success'), warmed('executed')] } })
      .prognosis,
  ).toBe('May be mended: codex ended well, more-runners worked. The mesh starts nothing more.');
});

test('an agent that a limit did not let start is none that comes next', () => {
  const given = aRemediation({ actions: [TELL, TRY], event: { outcome: 'failed' } });
  const actions = given.actions.map((plan) => (plan.name === 'try-again' ? { ...plan, refused: 'too many' } : plan));

  const request = aNotifyRequest({ ...given, actions }, { soFar: [] });

  expect(prognosisOf(request).prognosis).toBe('The mesh has tried nothing. It starts nothing more: it is yours now.');
});

test.each(['success', 'unknown'] as const)('what is no failure (%s) needs no mending', (outcome) => {
  expect(prognosis([TRY, TELL], { soFar: [tried('executed', 'success')] }, outcome)).toBeUndefined();
});
