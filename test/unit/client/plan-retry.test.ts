import { describe, expect, test } from 'vitest';
import { planRetry } from '../../../client/plan-retry.js';
import type { ActionStatus, DeliveryRecord, RemediationProgress } from '../../../contract/remediation.js';
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
});

function to(recipient: string, status: DeliveryRecord['status']): DeliveryRecord {
  return { delivery: `email/${recipient}`, channel: 'email', recipient, status, attempts: 1 };
}
