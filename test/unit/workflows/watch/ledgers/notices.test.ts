import { beforeEach, describe, expect, test } from 'vitest';
import type { OpenAlert } from '#contract/notification.js';
import { emptyMemory, type EndedCooldown, type GuardMemory } from '#rules/guards/memory.js';
import { createNotices, type Notices } from '#workflows/watch/ledgers/notices.js';

const ALERT: OpenAlert = {
  ...{ tenant: 'default', rule: 'r', team: 'ops', channel: 'pager', key: 'k', resolveOn: 'task', task: 't' },
  ...{ remediation: '', root: 'e', openedAt: 5, occurredAt: 4 },
};

let memory: GuardMemory;
let notices: Notices;
beforeEach(() => {
  memory = emptyMemory();
  notices = createNotices('default', memory);
});

test('what an ended cooldown kept quiet becomes one message, and is taken from the memory', () => {
  memory.ended.push(ended({ rule: 'a rule', key: 'ck', label: 'session=s' }));

  notices.addDigests(11);
  notices.addDigests(12);

  const { others: _others, ...suppressed } = ended({}).suppressed;
  const about = { tenant: 'default', rule: 'a rule', at: 11, label: 'session=s', suppressed };
  expect(notices.take(9)).toEqual([{ kind: 'digest', id: 'digest/default/a%20rule/ck/10', ...about }]);
});

test('an alert that is over becomes one message to its receiver', () => {
  const by = { event: 'TaskCompleted', eventId: 'ok' };
  notices.addResolved([{ alert: ALERT, by }], 9);

  expect(notices.take(9)).toEqual([
    {
      kind: 'resolve',
      id: expect.stringMatching(/^resolve\/default\/r\/[a-z0-9]+\/5$/) as string,
      ...{ tenant: 'default', rule: 'r', at: 9, alert: ALERT, by },
    },
  ]);
  expect(notices.size()).toBe(0);
});

describe('when too many wait for the end of a pause', () => {
  test('digests go before good news, and are counted', () => {
    notices.addResolved([{ alert: ALERT, by: { event: 'Stop', eventId: 'x' } }], 9);
    const long = { ...ended({}).suppressed, sessions: ['n'.repeat(900)] };
    for (let index = 0; index < 300; index++) memory.ended.push(ended({ key: `${index}`, suppressed: long }));
    notices.addDigests(11);

    notices.bound();

    const { waiting, dropped } = notices.save();
    expect(waiting.length).toBeLessThan(301);
    expect([waiting.at(-1)?.kind, waiting.at(-2)?.id]).toEqual(['resolve', 'digest/default/r/299/10']);
    expect(notices.show?.()).toEqual({ dropped: { messages: 301 - waiting.length } });
    expect(dropped).toBe(301 - waiting.length);
    expect(notices.details?.()).toContain(`**Dropped** because there was too much of it: ${dropped} messages`);
  });
});

function ended(cooldown: Partial<EndedCooldown>): EndedCooldown {
  const suppressed = { events: 12, firstAt: 1, lastAt: 9, sessions: ['s'], moreSessions: 1, others: ['hash'] };
  return { rule: 'r', key: 'k', untilAt: 10, armedAt: 0, suppressed, ...cooldown };
}
