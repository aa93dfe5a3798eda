import { beforeEach, expect, test } from 'vitest';
import { forgetOld, nextToForgetAt } from '#workflows/forget-old.js';
import { INCIDENT_LIFE_MS, openIncidents, resolveIncidents } from '#workflows/incidents.js';
import { noteFiring, SUCCESS_LIFE_MS } from '#workflows/noted-successes.js';
import { loadWatchState, type WatchState } from '#workflows/watch-state.js';

const NOW = 1_000_000;

let state: WatchState;
beforeEach(() => (state = loadWatchState({ tenant: 'default' }, 0)));

test('a watch that remembers nothing may close', () => {
  expect(nextToForgetAt(state)).toBeUndefined();
});

test.each<[string, number, () => void]>([
  [
    'an incident is open',
    INCIDENT_LIFE_MS,
    () =>
      openIncidents(state, { tenant: 'default', rule: 'r', team: 't', channel: 'c', key: 'k', resolveOn: 'task' }, NOW),
  ],
  // Its delivery may be tried for as long, and tell of the incident only after the success that ends it.
  ['a rule has fired in a session', SUCCESS_LIFE_MS, () => noteFiring(state, 's', NOW)],
])('a watch stays while %s, for %i ms at most', (_what, lifeMs, remember) => {
  remember();
  expect(nextToForgetAt(state)).toBe(NOW + lifeMs);

  forgetOld(state, NOW + lifeMs - 1);
  expect(nextToForgetAt(state)).toBe(NOW + lifeMs);

  forgetOld(state, NOW + lifeMs);
  expect(nextToForgetAt(state)).toBeUndefined();
});

test('an incident that is over is no reason to wake: its receiver is told when a pause or a cooldown ends', () => {
  state.pause = { sinceAt: NOW };
  const incident = { tenant: 'default', rule: 'r', team: 't', channel: 'c', key: 'k', session: 's', tool: 'Bash' };
  openIncidents(state, { ...incident, resolveOn: 'tool' }, NOW);
  const by = { event: 'PostToolUse', eventId: 'ok' };
  resolveIncidents(state, { session: 's', tool: 'Bash', occurredAt: NOW, at: NOW, by });

  expect([state.incidents.size, nextToForgetAt(state)]).toEqual([1, undefined]);
});
