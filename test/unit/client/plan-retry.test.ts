import { describe, expect, test } from 'vitest';
import { planRetry } from '#client/plan-retry.js';
import type { ActionResult, ActionStatus, DeliveryRecord, RemediationProgress } from '#contract/remediation.js';
import { aRemediation } from '../../support/a-remediation.js';
import type { WrittenAction } from '../../support/builders.js';

const AGENT = { type: 'spawn_fallback_agent', id: 'agent' } as const;
const WAKE = { type: 'notify_team', id: 'wake', onlyIf: 'failed' } as const;
const WARM = { type: 'warm_remote_capacity', id: 'warm' } as const;

/** What is to be run again of actions that ended so. */
function again(written: WrittenAction[], ...statuses: ActionStatus[]): string[] {
  const { actions } = aRemediation(written);
  const states = actions.map(({ name, type }, index) => ({
    action: name,
    type,
    status: statuses[index] ?? 'failed',
    attempts: 1,
  }));
  return planRetry(actions, { outcome: 'failed', actions: states }).again;
}

describe('planRetry', () => {
  test.each([
    ['what failed', [AGENT, WARM], ['failed', 'executed'], ['agent']],
    ['what was aborted', [AGENT, WARM], ['aborted', 'aborted'], ['agent', 'warm']],
    ['nothing of what had nothing to do', [AGENT, WARM], ['executed', 'skipped'], []],
    [
      'what was skipped since the one before had not succeeded',
      [AGENT, { ...WAKE, onlyIf: 'success' as const }],
      ['failed', 'skipped'],
      ['agent', 'wake'],
    ],
    ['not what was skipped since the one before was executed', [AGENT, WAKE], ['executed', 'skipped'], []],
    ['not what was executed since the one before had failed', [AGENT, WAKE], ['failed', 'executed'], ['agent']],
    [
      'a chain of those',
      [AGENT, { ...WAKE, onlyIf: 'success' as const }, { ...WAKE, id: 'third' }],
      ['failed', 'skipped', 'skipped'],
      ['agent', 'wake', 'third'],
    ],
  ] satisfies [string, WrittenAction[], ActionStatus[], string[]][])(
    'runs again %s',
    (_what, actions, statuses, names) => {
      expect(again(actions, ...statuses)).toEqual(names);
    },
  );

  test('looks past an agent that a limit has refused, which no retry runs', () => {
    const { actions } = aRemediation([
      AGENT,
      { ...AGENT, id: 'again', onlyIf: 'failed' },
      { ...WAKE, onlyIf: 'success' },
    ]);
    const plans = actions.map((plan) => (plan.name === 'again' ? { ...plan, refused: 'too many' } : plan));
    const states = plans.map(({ name, type }, index) => ({
      action: name,
      type,
      status: index === 0 ? ('failed' as const) : ('skipped' as const),
      attempts: 1,
    }));

    expect(planRetry(plans, { outcome: 'failed', actions: states }).again).toEqual(['agent', 'wake']);
  });

  test('hands on what a notification has delivered, and nothing else of what is run again', () => {
    const { actions } = aRemediation([AGENT, { type: 'notify_team', id: 'tell' }]);
    const states: RemediationProgress['actions'] = [
      { action: 'agent', type: 'spawn_fallback_agent', status: 'failed', attempts: 3 },
      {
        action: 'tell',
        type: 'notify_team',
        status: 'failed',
        attempts: 9,
        deliveries: [to('ada', 'delivered'), to('bob', 'failed')],
      },
    ];

    expect(planRetry(actions, { outcome: 'failed', actions: states })).toEqual({
      again: ['agent', 'tell'],
      earlier: [
        { action: 'tell', type: 'notify_team', status: 'failed', attempts: 9, deliveries: [to('ada', 'delivered')] },
      ],
    });
  });

  test('what was skipped when it was tried again, with nobody left to tell, is not done for the next time', () => {
    const { actions } = aRemediation([AGENT, { type: 'notify_team', id: 'tell', onlyIf: 'failed' }]);
    const delivered = [to('ada', 'delivered')];
    const states: RemediationProgress['actions'] = [
      { action: 'agent', type: 'spawn_fallback_agent', status: 'failed', attempts: 3 },
      { action: 'tell', type: 'notify_team', status: 'skipped', attempts: 1, deliveries: delivered },
    ];

    expect(planRetry(actions, { outcome: 'failed', actions: states })).toEqual({
      again: ['agent', 'tell'],
      earlier: [{ action: 'tell', type: 'notify_team', status: 'aborted', attempts: 1, deliveries: delivered }],
    });
  });

  test('knows the deliveries of one that was cut short', () => {
    const { actions } = aRemediation([{ type: 'notify_team', id: 'tell' }]);
    const states: RemediationProgress['actions'] = [
      { action: 'tell', type: 'notify_team', status: 'running', deliveries: [to('ada', 'delivered')] },
    ];

    expect(planRetry(actions, { outcome: 'running', actions: states })).toEqual({
      again: ['tell'],
      earlier: [
        { action: 'tell', type: 'notify_team', status: 'aborted', attempts: 0, deliveries: [to('ada', 'delivered')] },
      ],
    });
  });

  test('knows the deliveries of the run before one that was aborted before its action began', () => {
    const { actions } = aRemediation([{ type: 'notify_team', id: 'tell' }]);
    const states: RemediationProgress['actions'] = [
      { action: 'tell', type: 'notify_team', status: 'aborted', attempts: 0 },
    ];
    const before: ActionResult[] = [
      { action: 'tell', type: 'notify_team', status: 'failed', attempts: 1, deliveries: [to('ada', 'delivered')] },
      { action: 'other', type: 'notify_team', status: 'failed', attempts: 1, deliveries: [to('eve', 'delivered')] },
    ];

    expect(planRetry(actions, { outcome: 'aborted', actions: states }, before).earlier).toEqual([
      { action: 'tell', type: 'notify_team', status: 'aborted', attempts: 0, deliveries: [to('ada', 'delivered')] },
    ]);
  });
});

function to(recipient: string, status: DeliveryRecord['status']): DeliveryRecord {
  return { delivery: `email/${recipient}`, channel: 'email', recipient, status, attempts: 1 };
}
