import { expect, test } from 'vitest';
import { collectDigests } from '#workflows/digests.js';
import { loadWatchState } from '#workflows/watch-state.js';

test('what an ended cooldown kept quiet becomes one message, and is taken from the memory', () => {
  const state = loadWatchState({ tenant: 'default' }, 0);
  const suppressed = { events: 12, firstAt: 1, lastAt: 9, sessions: ['s'], moreSessions: 1 };
  state.memory.ended.push({
    rule: 'a rule',
    key: 'ck',
    untilAt: 10,
    armedAt: 0,
    label: 'session=s',
    suppressed: { ...suppressed, others: ['hash'] },
  });

  collectDigests(state, 11);
  collectDigests(state, 12);

  expect(state.notices).toEqual([
    {
      kind: 'digest',
      id: 'digest/default/a%20rule/ck/10',
      tenant: 'default',
      rule: 'a rule',
      at: 11,
      label: 'session=s',
      suppressed,
    },
  ]);
});
