import { beforeEach, describe, expect, test } from 'vitest';
import type { MeshEvent } from '#contract/event.js';
import { collectResolves, hasResolvesDue } from '#workflows/resolves.js';
import {
  INCIDENT_LIFE_MS,
  noteAgain,
  noteAgainWhilePaused,
  openIncidents,
  pruneIncidents,
  resolveIncidents,
  successOf,
} from '#workflows/incidents.js';
import {
  MAX_SUCCESSES,
  MAX_SESSIONS_WITH_FIRINGS,
  noteSuccess,
  noteFiring,
  pruneSuccesses,
  SUCCESS_LIFE_MS,
} from '#workflows/noted-successes.js';
import { loadWatchState, type WatchState } from '#workflows/watch-state.js';
import type { Cooldown } from '#rules/guards/memory.js';
import { anEvent } from '../../support/builders.js';

const NOW = 1_000_000;
const INCIDENT = {
  tenant: 'default',
  rule: 'r',
  team: 'oncall',
  channel: 'pager',
  key: 'k',
  remediation: 'remediation/default/r/e',
  root: 'e',
  session: 's',
  task: 't-1',
  tool: 'Bash',
  resolveOn: ['task', 'tool'],
  openedAt: NOW,
  occurredAt: NOW - 9_000,
};

let state: WatchState;
beforeEach(() => (state = loadWatchState({ tenant: 'default' }, 0)));

describe('a success', () => {
  test('of the same task in the same session ends an incident, once', () => {
    open([INCIDENT]);

    succeed({ id: 'ok', event: 'TaskCompleted', session: 's' }, { task: 't-1' });
    succeed({ id: 'again', event: 'TaskCompleted', session: 's' }, { task: 't-1' });

    expect(incidents()).toEqual([]);
    expect(state.notices).toEqual([
      {
        kind: 'resolve',
        id: expect.stringMatching(/^resolve\/default\/r\/[a-z0-9]+\/1000000$/),
        tenant: 'default',
        rule: 'r',
        at: NOW + 1,
        incident: INCIDENT,
        by: { event: 'TaskCompleted', eventId: 'ok' },
      },
    ]);
  });

  test.each<[string, Partial<MeshEvent>, { task?: string; tool?: string }, string | undefined]>([
    ['of the same tool in the same chain', {}, { tool: 'Bash' }, 'e'],
    ['of the tool, with another task', { session: 's' }, { task: 't-2', tool: 'Bash' }, undefined],
    [
      'in the same session, from before it was opened',
      { session: 's', occurredAt: NOW - 9_000 },
      { tool: 'Bash' },
      'x',
    ],
    ['in its chain, by a clock that is a minute behind', { occurredAt: NOW - 69_000 }, { tool: 'Bash' }, 'e'],
  ])('%s ends it', (_what, event, works, root) => {
    open([INCIDENT]);

    succeed(event, works, root);

    expect(state.notices).toHaveLength(1);
  });

  test.each<[string, Partial<MeshEvent>, { task?: string; tool?: string }, string?]>([
    ['of another task and tool', { session: 's' }, { task: 't-2', tool: 'Edit' }],
    ['of another tool that works for the same task', { session: 's' }, { task: 't-1', tool: 'Edit' }],
    ['in another session and chain', { session: 'other' }, { task: 't-1' }],
    ['without a session, in another chain', {}, { task: 't-1' }],
    ['in the same session, from before it', { session: 's', occurredAt: NOW - 9_001 }, { task: 't-1' }, 'e'],
    ['in its chain, from more than a minute before it', { occurredAt: NOW - 69_001 }, { task: 't-1' }, 'e'],
  ])('%s does not end it', (_what, event, works, root) => {
    open([INCIDENT]);

    succeed(event, works, root);

    expect([state.notices, incidents().length]).toEqual([[], 1]);
  });

  test('counts only for what the channel is to resolve on', () => {
    open([{ ...INCIDENT, resolveOn: ['task'] }]);

    succeed({ session: 's' }, { tool: 'Bash' });

    expect(state.notices).toEqual([]);
  });

  test.each([{}, { tool: 'Bash' }, { task: 't-1', tool: 'Bash' }])(
    'of a tool ends no incident without one: %j',
    (works) => {
      const { tool: _tool, ...taskOnly } = INCIDENT;
      open([taskOnly]);

      succeed({ session: 's' }, works);

      expect(state.notices).toEqual([]);
    },
  );

  test('ends every incident that it is about', () => {
    open([INCIDENT, { ...INCIDENT, channel: 'other' }, { ...INCIDENT, key: 'k2', tool: 'Edit' }]);

    succeed({ session: 's' }, { tool: 'Bash' });

    expect(new Set(state.notices.map(({ id }) => id)).size).toBe(2);
    expect(incidents()).toMatchObject([{ key: 'k2' }]);
  });
});

describe('without a session', () => {
  const { session: _session, ...LONE } = INCIDENT;

  test.each<[string, ('task' | 'tool')[], { task?: string; tool?: string }]>([
    ['task', ['task'], { task: 't-1' }],
    ['tool', ['tool'], { tool: 'Bash' }],
  ])(
    'a success of the same %s ends an incident: events without one count as of one session',
    (_what, resolveOn, works) => {
      open({ ...LONE, resolveOn });

      succeed({ session: 's' }, works);
      expect(state.notices).toEqual([]);
      succeed({}, works);
      expect(state.notices).toHaveLength(1);
    },
  );

  test('a success from before the failure ends nothing', () => {
    open(LONE);

    succeed({ occurredAt: NOW - 9_001 }, { task: 't-1' });

    expect(state.notices).toEqual([]);
  });

  test('a success is noted for an incident that is told of later, where a rule has fired without one', () => {
    noteFiring(state, undefined, NOW - 9_000);
    note({ occurredAt: NOW - 8_000 }, { task: 't-1' });

    open(LONE);

    expect(state.notices).toHaveLength(1);
  });

  test('a failure of the same task takes a success back', () => {
    noteFiring(state, undefined, NOW - 9_000);
    note({ occurredAt: NOW - 8_000 }, { task: 't-1' });
    noteAgain(state, 'r', anEvent({ occurredAt: NOW - 7_000, payload: { task_id: 't-1' } }), 'e-2', NOW + 10);

    open(LONE);

    expect(state.notices).toEqual([]);
  });
});

test('an incident that somebody signals by hand, who does not say when it began, began when it was opened', () => {
  const { occurredAt: _unknown, ...byHand } = INCIDENT;
  open([byHand]);

  succeed({ session: 's', occurredAt: NOW - 1 }, { task: 't-1' });
  expect(state.notices).toEqual([]);
  succeed({ session: 's', occurredAt: NOW }, { task: 't-1' });
  expect(state.notices).toHaveLength(1);
});

describe('a success from before the delivery has told of the incident', () => {
  test('ends it at once, also when the delivery tells of it again', () => {
    noteFiring(state, 's', NOW - 9_000);
    note({ id: 'ok', session: 's', occurredAt: NOW - 8_000 }, { task: 't-1' });

    open([INCIDENT]);
    open([{ ...INCIDENT, openedAt: NOW + 5 }], NOW + 5);

    expect(incidents()).toEqual([]);
    expect(state.notices).toMatchObject([
      { kind: 'resolve', incident: { openedAt: NOW }, by: { eventId: 'ok' } },
      { kind: 'resolve', incident: { openedAt: NOW + 5 }, by: { eventId: 'ok' } },
    ]);
  });

  test('ends it in its chain, whatever the session', () => {
    state.memory.chains.set('e', { root: 'e', remediations: 1, deepest: 0, lastAt: NOW });
    note({ session: 'other' }, { tool: 'Bash' }, 'e');

    open([INCIDENT]);

    expect(state.notices).toHaveLength(1);
  });

  test.each<[string, Partial<MeshEvent>, { task?: string; tool?: string }, string?]>([
    ['from before the failure', { session: 's', occurredAt: NOW - 9_001 }, { task: 't-1' }],
    ['of another task', { session: 's' }, { task: 't-2' }],
    ['of another session', { session: 'other' }, { task: 't-1' }],
    // It may be about an earlier failure of the chain.
    ['in its chain, by a clock that is behind', { session: 'other', occurredAt: NOW - 9_001 }, { task: 't-1' }, 'e'],
  ])('does not end it when it is %s', (_what, event, works, root) => {
    for (const session of ['s', 'other']) noteFiring(state, session, NOW);
    state.memory.chains.set('e', { root: 'e', remediations: 1, deepest: 0, lastAt: NOW });
    note(event, works, root);

    open([INCIDENT]);

    expect([state.notices, incidents().length]).toEqual([[], 1]);
  });

  test('is only noted where a rule has fired', () => {
    note({ session: 's' }, { task: 't-1' });
    note({}, { task: 't-1' });

    expect(state.successes.size).toBe(0);
  });

  test('is noted once for each task and tool of a session: the last one', () => {
    noteFiring(state, 's', NOW);
    for (const occurredAt of [NOW - 1, NOW + 5, NOW + 1]) note({ session: 's', occurredAt }, { tool: 'Bash' });

    expect([...state.successes.values()]).toMatchObject([{ session: 's', tool: 'Bash', occurredAt: NOW + 5 }]);
  });

  test('is one of so many; the oldest go, and so do the sessions in which rules fired', () => {
    noteFiring(state, 's', NOW);
    for (let index = 0; index <= MAX_SUCCESSES; index++) note({ session: 's' }, { task: `t-${index}` });
    expect(state.successes.size).toBe(MAX_SUCCESSES);
    expect([...state.successes.values()][0]?.task).toBe('t-1');

    for (let index = 0; index <= MAX_SESSIONS_WITH_FIRINGS; index++) noteFiring(state, `s-${index}`, NOW);
    expect(state.sessionsWithFirings.size).toBe(MAX_SESSIONS_WITH_FIRINGS);
  });

  test('is forgotten after a day, and so is the session', () => {
    noteFiring(state, 's', NOW);
    note({ session: 's' }, { task: 't-1' });

    pruneSuccesses(state, NOW + SUCCESS_LIFE_MS - 1);
    expect([state.successes.size, state.sessionsWithFirings.size]).toEqual([1, 1]);
    pruneSuccesses(state, NOW + SUCCESS_LIFE_MS);
    expect([state.successes.size, state.sessionsWithFirings.size]).toEqual([0, 0]);
  });
});

describe('open incidents', () => {
  test('are known once for each alert, task and tool; an attempt that is made twice tells of the same one', () => {
    open([INCIDENT, { ...INCIDENT, tool: 'Edit' }, { ...INCIDENT, task: 't-2' }]);
    open({ ...INCIDENT, openedAt: NOW + 5 }, NOW + 5);

    expect(incidents()).toHaveLength(3);
    expect(incidents().at(-1)).toMatchObject({ task: 't-1', tool: 'Bash', openedAt: NOW + 5 });
  });

  test.each([
    ['in order', [NOW - 9_000, NOW - 1_000]],
    ['the first of them late', [NOW - 1_000, NOW - 9_000]],
  ])(
    'of two failures that are told %s, the later one holds: a success from between them ends nothing',
    (_how, times) => {
      noteFiring(state, 's', NOW - 9_000);
      note({ session: 's', occurredAt: NOW - 5_000 }, { task: 't-1', tool: 'Bash' });

      open({ ...INCIDENT, occurredAt: NOW - 1_000 });
      open(times.map((occurredAt) => ({ ...INCIDENT, occurredAt })));

      expect(state.notices).toEqual([]);
      expect(incidents()).toMatchObject([{ occurredAt: NOW - 1_000 }]);
    },
  );

  test('of one alert: it is closed with the last of them', () => {
    open([INCIDENT, { ...INCIDENT, tool: 'Edit' }]);

    succeed({ session: 's' }, { tool: 'Edit' });
    expect(state.notices).toEqual([]);
    succeed({ session: 's' }, { tool: 'Bash' });
    expect(state.notices).toMatchObject([{ incident: { key: 'k', tool: 'Bash' } }]);
    expect(incidents()).toEqual([]);
  });

  test('of one alert that one success ends are told once', () => {
    open([INCIDENT, { ...INCIDENT, tool: 'Edit' }]);

    succeed({ session: 's' }, { task: 't-1' });

    expect(state.notices).toHaveLength(1);
  });

  test('are 500 at most; the oldest go, and are counted', () => {
    for (let index = 0; index < 501; index++) open({ ...INCIDENT, key: `k-${index}` });

    expect([incidents().length, incidents()[0]?.key]).toEqual([500, 'k-1']);
    expect(state.dropped).toEqual({ messages: 0, incidents: 1 });
  });

  test.each([[['task'] as const], [['task', 'tool'] as const], [['tool'] as const]])(
    'of another tool stays open when it is told after a success of the first: %j',
    (resolveOn) => {
      open({ ...INCIDENT, resolveOn });
      const success = anEvent({ session: 's', occurredAt: NOW - 1_000 });
      resolveIncidents(state, successOf(success, 'x', { task: 't-1', tool: 'Bash' }, NOW + 1));

      const late = anEvent({ session: 's', occurredAt: NOW - 5_000, payload: { tool_name: 'Edit', task_id: 't-1' } });
      noteAgain(state, 'r', late, 'e', NOW + 2);
      collectResolves(state, NOW + 2);

      expect(state.notices).toEqual([]);
      expect(broken()).toMatchObject([{ tool: 'Edit', occurredAt: NOW - 5_000 }]);
    },
  );

  test('by the hundreds cost a failing event little, also where it is about each of them', () => {
    open(Array.from({ length: 500 }, (_, index) => ({ ...INCIDENT, task: `t-${index}`, resolveOn: ['tool'] })));
    const failing = Array.from({ length: 40 }, (_, index) =>
      anEvent({ session: 's', occurredAt: NOW + index, payload: { tool_name: 'Bash' } }),
    );

    const before = process.cpuUsage();
    for (const event of failing) noteAgain(state, 'r', event, 'e', NOW);
    const { user } = process.cpuUsage(before);

    expect(incidents().map(({ occurredAt }) => occurredAt)).toEqual(Array(500).fill(NOW + 39));
    // A batch has 500 of them, and Temporal ends a worker that takes five seconds. Each took a quarter of one before.
    expect(user / 1_000).toBeLessThan(2_000);
  });

  test('are forgotten after a week', () => {
    open(INCIDENT);

    pruneIncidents(state, NOW + INCIDENT_LIFE_MS - 1);
    expect(incidents()).toHaveLength(1);
    pruneIncidents(state, NOW + INCIDENT_LIFE_MS);
    expect(incidents()).toEqual([]);
  });

  test('that are over are kept for as long as their receivers are to be told', () => {
    state.pause = { sinceAt: NOW };
    open([INCIDENT, { ...INCIDENT, key: 'other', session: 'x' }]);
    succeed({ id: 'ok', session: 's' }, { tool: 'Bash' });

    pruneIncidents(state, NOW + INCIDENT_LIFE_MS);

    expect(incidents()).toMatchObject([{ key: 'k', resolved: { by: { eventId: 'ok' } } }]);
  });

  test('of one alert: what works again goes with the last that does not, and the receiver is told nothing', () => {
    open([INCIDENT, { ...INCIDENT, tool: 'Edit' }]);
    succeed({ session: 's' }, { tool: 'Edit' });

    pruneIncidents(state, NOW + INCIDENT_LIFE_MS);

    expect([incidents(), hasResolvesDue(state, NOW + INCIDENT_LIFE_MS)]).toEqual([[], false]);
  });

  test('of one alert: what is still broken stays, and is waited for, when another is forgotten', () => {
    open([INCIDENT, { ...INCIDENT, tool: 'Edit' }]);
    open({ ...INCIDENT, tool: 'Write', openedAt: NOW + 5 }, NOW + 5);
    succeed({ session: 's' }, { tool: 'Edit' });

    pruneIncidents(state, NOW + INCIDENT_LIFE_MS);
    expect(incidents()).toMatchObject([{ tool: 'Write' }]);
    succeed({ session: 's' }, { tool: 'Write' });
    expect(state.notices).toHaveLength(1);
  });

  test.each([
    ['in the future', NOW * 2, NOW],
    ['before there was time', -9e15, 0],
  ])('are not opened %s', (_when, openedAt, kept) => {
    open({ ...INCIDENT, openedAt });

    expect(incidents()[0]?.openedAt).toBe(kept);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'incident'],
    ['one of another tenant', { ...INCIDENT, tenant: 'acme' }],
    ['one that nothing ends', { ...INCIDENT, resolveOn: ['never'] }],
    ['one without a key', { ...INCIDENT, key: '' }],
  ])('refuses %s, and says what it wants', (_what, argument) => {
    expect(openIncidents(state, argument, NOW)).toContain('expected a list of incidents');

    expect(incidents()).toEqual([]);
  });
});

describe('while a cooldown lives that would keep the same quiet', () => {
  const FAILED = { session: 's', occurredAt: NOW + 10, payload: { task_id: 't-1', tool_name: 'Bash' } };

  beforeEach(() => {
    cool('c', { firedFor: { session: 's', task: 't-1' } });
    open(INCIDENT);
  });

  test('nothing is closed, since the same trouble would open nothing; it is closed when the cooldown ends', () => {
    succeed({ id: 'ok', session: 's' }, { tool: 'Bash' });
    collectResolves(state, NOW + 59_999);
    expect([state.notices, incidents()]).toMatchObject([[], [{ resolved: { by: { eventId: 'ok' } } }]]);

    collectResolves(state, NOW + 60_000);
    expect(state.notices).toEqual([
      expect.objectContaining({
        kind: 'resolve',
        at: NOW + 60_000,
        incident: INCIDENT,
        by: expect.anything() as unknown,
      }),
    ]);
    expect(incidents()).toEqual([]);
  });

  test('it is closed at once when an operator ends the cooldown', () => {
    succeed({ session: 's' }, { tool: 'Bash' });
    state.memory.cooldowns.delete('c');

    collectResolves(state, NOW + 1);

    expect(state.notices).toHaveLength(1);
  });

  test('it stays open when the same trouble comes again, until that is over too', () => {
    succeed({ session: 's' }, { tool: 'Bash' });
    noteAgain(state, 'r', anEvent(FAILED), 'e-2', NOW + 10);
    collectResolves(state, NOW + 60_000);
    expect([state.notices, incidents()]).toMatchObject([[], [{ root: 'e-2', occurredAt: NOW + 10 }]]);

    succeed({ session: 's', occurredAt: NOW + 9 }, { tool: 'Bash' });
    expect(incidents()[0]).not.toHaveProperty('resolved');
    succeed({ session: 's', occurredAt: NOW + 20 }, { tool: 'Bash' });
    collectResolves(state, NOW + 60_000);
    expect(state.notices).toHaveLength(1);
  });

  test.each<[string, Partial<MeshEvent>, string]>([
    ['an agent of its chain', { session: 'f-1', payload: { tool_name: 'Bash' } }, 'e'],
    ['another task of its session', { session: 's', payload: { task_id: 't-2', tool_name: 'Bash' } }, 'e-2'],
  ])(
    'it stays open when %s fails with the same tool again, and keeps its own session and task',
    (_what, event, root) => {
      succeed({ session: 'f-1' }, { tool: 'Bash' }, 'e');
      noteAgain(state, 'r', anEvent({ ...event, occurredAt: NOW + 10 }), root, NOW + 10);
      collectResolves(state, NOW + 60_000);
      expect([state.notices, incidents()]).toMatchObject([[], [{ session: 's', task: 't-1', occurredAt: NOW + 10 }]]);

      succeed({ ...event, occurredAt: NOW + 20 }, { tool: 'Bash' }, root);
      collectResolves(state, NOW + 60_000);
      expect(state.notices).toHaveLength(1);
    },
  );

  test('it stays open when an agent whose clock is behind tells of a success and then of a failure', () => {
    const bash = { session: 'f-1', payload: { tool_name: 'Bash' } };
    succeed({ session: 'f-1', occurredAt: NOW - 40_000 }, { tool: 'Bash' }, 'e');
    expect(broken()).toEqual([]);
    noteAgain(state, 'r', anEvent({ ...bash, occurredAt: NOW - 35_000 }), 'e', NOW + 10);
    expect(broken()).toMatchObject([{ session: 's', occurredAt: INCIDENT.occurredAt }]);

    succeed({ session: 's', occurredAt: INCIDENT.occurredAt - 1 }, { tool: 'Bash' });
    expect(broken()).toHaveLength(1);
    succeed({ session: 'f-1', occurredAt: NOW - 30_000 }, { tool: 'Bash' }, 'e');
    expect(broken()).toEqual([]);
  });

  test('a failure of other work elsewhere in its chain is none of it', () => {
    succeed({ session: 'f-1' }, { tool: 'Bash' }, 'e');
    noteAgain(
      state,
      'r',
      anEvent({ session: 'f-1', occurredAt: NOW + 10, payload: { tool_name: 'Edit' } }),
      'e',
      NOW + 10,
    );

    collectResolves(state, NOW + 60_000);

    expect(state.notices).toHaveLength(1);
  });

  test('it stays open for another tool that breaks meanwhile, which has no alert of its own', () => {
    noteAgain(state, 'r', anEvent({ ...FAILED, payload: { task_id: 't-1', tool_name: 'Edit' } }), 'e-2', NOW + 10);
    succeed({ session: 's', occurredAt: NOW + 20 }, { tool: 'Bash' });
    collectResolves(state, NOW + 60_000);
    expect(state.notices).toEqual([]);

    succeed({ session: 's', occurredAt: NOW + 20 }, { tool: 'Edit' });
    collectResolves(state, NOW + 60_000);
    expect(state.notices).toHaveLength(1);
  });

  test('it stays open for another tool that broke before that, and is told of after it', () => {
    state.incidents.clear();
    open({ ...INCIDENT, resolveOn: ['tool'] });
    noteFiring(state, 's', NOW);
    succeed({ session: 's', occurredAt: NOW + 20 }, { tool: 'Bash' });

    noteAgain(state, 'r', anEvent({ ...FAILED, payload: { task_id: 't-1', tool_name: 'Edit' } }), 'e-2', NOW + 10);
    collectResolves(state, NOW + 60_000);
    expect([state.notices, broken()]).toMatchObject([[], [{ tool: 'Edit', occurredAt: NOW + 10 }]]);

    succeed({ session: 's', occurredAt: NOW + 11 }, { tool: 'Edit' });
    collectResolves(state, NOW + 60_000);
    expect(state.notices).toHaveLength(1);
  });

  test('another tool that broke before that, and is known to work again, keeps it open no longer', () => {
    state.incidents.clear();
    open({ ...INCIDENT, resolveOn: ['tool'] });
    noteFiring(state, 's', NOW);
    note({ session: 's', occurredAt: NOW + 11 }, { tool: 'Edit' });
    succeed({ session: 's', occurredAt: NOW + 20 }, { tool: 'Bash' });

    noteAgain(state, 'r', anEvent({ ...FAILED, payload: { task_id: 't-1', tool_name: 'Edit' } }), 'e-2', NOW + 10);
    collectResolves(state, NOW + 60_000);

    expect(state.notices).toHaveLength(1);
  });

  test.each<[string, string, Partial<MeshEvent>]>([
    ['another rule', 'other', FAILED],
    ['another session', 'r', { ...FAILED, session: 'x' }],
    ['another task and tool', 'r', { ...FAILED, payload: { task_id: 't-2', tool_name: 'Edit' } }],
    ['before the success, told late', 'r', { ...FAILED, occurredAt: NOW }],
  ])('trouble of %s is none of it', (_what, rule, event) => {
    succeed({ session: 's' }, { tool: 'Bash' });
    noteAgain(state, rule, anEvent(event), 'e-2', NOW + 10);

    collectResolves(state, NOW + 60_000);

    expect(state.notices).toHaveLength(1);
  });

  test('a delivery that tells of it once more changes nothing', () => {
    succeed({ session: 's' }, { tool: 'Bash' });
    open(INCIDENT, NOW + 5);

    collectResolves(state, NOW + 60_000);

    expect(state.notices).toHaveLength(1);
  });

  test.each<[string, Partial<Cooldown>]>([
    ['another rule', { rule: 'other' }],
    ['another session', { firedFor: { session: 'x', task: 't-1' } }],
    ['another task', { firedFor: { session: 's', task: 't-2' } }],
    ['a rule that told nobody when it began', { firedFor: undefined }],
    ['the past', { untilAt: NOW }],
    ['the whole rule, in the past', { untilAt: NOW, label: undefined }],
  ])('a cooldown of %s holds nothing', (_what, cooldown) => {
    cool('c', cooldown);

    succeed({ session: 's' }, { tool: 'Bash' });

    expect(state.notices).toHaveLength(1);
  });

  test.each<[string, Partial<Record<keyof Cooldown, unknown>>]>([
    ['the whole rule, which began in another session', { label: undefined, firedFor: { session: 'x' } }],
    ['the whole rule, which told nobody when it began', { label: undefined, firedFor: undefined }],
    [
      'the same values of `cooldownBy`, which began in another session',
      { label: 'tool=Bash', firedFor: { session: 'x' } },
    ],
  ])('a cooldown of %s holds it', (_what, cooldown) => {
    cool('c', cooldown);
    open({ ...INCIDENT, cooldownLabel: 'tool=Bash' }, NOW + 1);

    succeed({ session: 's' }, { tool: 'Bash' });
    expect(state.notices).toEqual([]);

    collectResolves(state, NOW + 60_000);
    expect(state.notices).toHaveLength(1);
  });

  test.each([
    ['at the end of the one before', 'c', NOW + 60_000],
    ['after a re-arm', 'c', NOW + 30_000],
    ['beside it', 'another', NOW + 60_000],
  ])('a cooldown of the whole rule that begins later, %s, holds it no longer', (_when, key, now) => {
    cool('c', { label: undefined });
    succeed({ session: 's' }, { tool: 'Bash' });
    expect(hasResolvesDue(state, NOW + 29_999)).toBe(false);

    cool(key, { untilAt: now + 60_000, armedAt: now, label: undefined, firedFor: { session: 'x' } });

    expect(hasResolvesDue(state, now)).toBe(true);
  });

  test('it is held by each of them: one that ends earlier lets nothing go', () => {
    cool('later', { untilAt: NOW + 90_000, label: 'tool=Edit' });
    succeed({ session: 's' }, { tool: 'Bash' });

    collectResolves(state, NOW + 60_000);
    expect(state.notices).toEqual([]);
    collectResolves(state, NOW + 90_000);
    expect(state.notices).toHaveLength(1);
  });

  test.each([
    ['last', ['Bash', 'Edit']],
    ['first', ['Edit', 'Bash']],
  ])('it is held by that of another tool that broke meanwhile, also when that works %s', (_when, tools) => {
    state = loadWatchState({ tenant: 'default' }, 0);
    cool('edit', { untilAt: NOW + 90_000, label: 'tool=Edit', firedFor: { session: 'x' } });
    open({ ...INCIDENT, resolveOn: ['tool'], cooldownLabel: 'tool=Bash' });
    const edit = anEvent({ ...FAILED, payload: { task_id: 't-1', tool_name: 'Edit' } });
    noteAgain(state, 'r', edit, 'e-2', NOW + 10, 'tool=Edit');

    noteFiring(state, 's', NOW);
    for (const tool of tools) {
      succeed({ session: 's', occurredAt: NOW + 20 }, { tool });
      note({ session: 's', occurredAt: NOW + 20 }, { tool });
    }
    // The delivery only tells of it once more.
    open({ ...INCIDENT, resolveOn: ['tool'], cooldownLabel: 'tool=Bash' }, NOW + 89_999);
    expect(state.notices).toEqual([]);
    collectResolves(state, NOW + 90_000);

    const { incident } = state.notices[0] as Extract<(typeof state.notices)[0], { kind: 'resolve' }>;
    expect([state.notices.length, incident.key, 'resolved' in incident]).toEqual([1, 'k', false]);
  });

  test('a failure that names no other work leaves it to the cooldown it was known by', () => {
    state = loadWatchState({ tenant: 'default' }, 0);
    cool('bash', { label: 'tool=Bash', firedFor: { session: 'x' } });
    open({ ...INCIDENT, resolveOn: ['tool'], cooldownLabel: 'tool=Bash' });
    noteAgain(state, 'r', anEvent({ ...FAILED, payload: { task_id: 't-1' } }), 'e-2', NOW + 10, 'tool=nothing');

    succeed({ session: 's', occurredAt: NOW + 20 }, { tool: 'Bash' });

    expect([state.notices.length, hasResolvesDue(state, NOW + 60_000)]).toEqual([0, true]);
  });

  test('one of neither session nor task holds no other', () => {
    state = loadWatchState({ tenant: 'default' }, 0);
    cool('c', { firedFor: { event: 'e-9' } });
    const { session: _session, task: _task, ...lone } = INCIDENT;
    open(lone);

    succeed({}, { tool: 'Bash' }, 'e');

    expect(state.notices).toHaveLength(1);
  });

  function cool(key: string, cooldown: Partial<Record<keyof Cooldown, unknown>>): void {
    const firedFor = { session: 's', task: 't-1' };
    const began = { rule: 'r', untilAt: NOW + 60_000, armedAt: NOW - 9_000, label: 'session=s', firedFor };
    state.memory.cooldowns.set(key, { ...began, ...cooldown } as Cooldown);
  }
});

describe('a failure that was kept quiet', () => {
  const again = (payload: Record<string, string>, occurredAt: number, session = 's') =>
    anEvent({ session, occurredAt, payload });
  const BASH = { task_id: 't-1', tool_name: 'Bash' };

  test.each<[string, string[], { task?: string; tool?: string }, string]>([
    ['of the same task and tool', ['task', 'tool'], { task: 't-1', tool: 'Bash' }, 's'],
    ['of the same tool for another task', ['tool'], { task: 't-2', tool: 'Bash' }, 's'],
    ['of the same task, which names no tool', ['task'], { task: 't-1' }, 's'],
    ['of the same tool elsewhere in the chain', ['tool'], { tool: 'Bash' }, 'x'],
  ])(
    'takes back a success before it, %s, for an incident that is told of later',
    (_what, resolveOn, works, session) => {
      noteFiring(state, 's', NOW - 9_000);
      state.memory.chains.set('e', { root: 'e', remediations: 1, deepest: 0, lastAt: NOW });
      note({ session, occurredAt: NOW - 8_000 }, works, 'e');
      noteAgain(state, 'r', again(BASH, NOW - 7_000), 'e', NOW + 10);

      open({ ...INCIDENT, resolveOn });

      expect([state.notices, incidents()]).toMatchObject([[], [{ task: 't-1' }]]);
      expect(incidents()[0]).not.toHaveProperty('resolved');
    },
  );

  test.each<[string, { task?: string; tool?: string }, Partial<MeshEvent>]>([
    ['from after it', { tool: 'Bash' }, { session: 's', occurredAt: NOW - 7_000 }],
    ['of another task and tool', { task: 't-2', tool: 'Edit' }, { session: 's', occurredAt: NOW - 8_000 }],
    ['of another session and chain', { tool: 'Bash' }, { session: 'x', occurredAt: NOW - 8_000 }],
  ])('leaves a success %s', (_what, works, event) => {
    for (const session of ['s', 'x']) noteFiring(state, session, NOW - 9_000);
    note(event, works);

    noteAgain(state, 'r', again(BASH, NOW - 7_000), 'e', NOW + 10);

    expect(state.successes.size).toBe(1);
  });

  test('of another tool, which is told after that has worked again, keeps no alert open', () => {
    open(INCIDENT);
    noteFiring(state, 's', NOW);
    note({ session: 's', occurredAt: NOW + 2 }, { tool: 'Edit' });
    noteAgain(state, 'r', again({ task_id: 't-1', tool_name: 'Edit' }, NOW + 1), 'e-2', NOW + 10);
    expect(broken()).toMatchObject([{ tool: 'Bash' }]);

    succeed({ session: 's', occurredAt: NOW + 3 }, { tool: 'Bash' });

    expect(state.notices).toHaveLength(1);
  });

  test('and names nothing to resolve on counts for what is known to have broken', () => {
    const known = { ...INCIDENT, resolveOn: ['tool'] };
    open([known, { ...known, tool: 'Edit' }]);
    noteAgain(state, 'r', again({ task_id: 't-1' }, NOW + 1), 'e-2', NOW + 10);
    expect(incidents().map(({ tool, occurredAt }) => [tool, occurredAt])).toEqual([
      ['Bash', NOW + 1],
      ['Edit', NOW + 1],
    ]);

    for (const tool of ['Bash', 'Edit']) succeed({ session: 's', occurredAt: NOW + 2 }, { tool });

    expect([state.notices.length, incidents()]).toEqual([1, []]);
  });
});

describe('while the tenant is paused', () => {
  const fail = (event: Partial<MeshEvent>, root = 'e-2') => {
    const payload = { task_id: 't-1', tool_name: 'Bash' };
    noteAgainWhilePaused(state, anEvent({ session: 's', occurredAt: NOW + 10, payload, ...event }), root, NOW + 10);
  };

  beforeEach(() => {
    open({ ...INCIDENT, resolveOn: ['tool'] });
    state.pause = { sinceAt: NOW };
    succeed({ session: 's' }, { tool: 'Bash' });
    expect(state.notices).toEqual([]);
  });

  test('what works again is told when it is resumed', () => {
    state.pause = undefined;
    expect(hasResolvesDue(state, NOW + 5)).toBe(true);
    collectResolves(state, NOW + 5);

    expect(state.notices).toMatchObject([{ kind: 'resolve', at: NOW + 5 }]);
    expect([incidents(), hasResolvesDue(state, NOW + 5)]).toEqual([[], false]);
  });

  test('a failure of the same takes that back', () => {
    fail({});
    state.pause = undefined;
    collectResolves(state, NOW + 20);
    expect(state.notices).toEqual([]);
    expect(incidents()).toMatchObject([{ root: 'e', occurredAt: NOW + 10 }]);

    succeed({ session: 's', occurredAt: NOW + 11 }, { tool: 'Bash' });
    expect(state.notices).toHaveLength(1);
  });

  test('a failure of the same in its chain takes that back too', () => {
    fail({ session: 'f-1', payload: { tool_name: 'Bash' } }, 'e');
    state.pause = undefined;
    collectResolves(state, NOW + 20);

    expect([state.notices, incidents()]).toMatchObject([[], [{ session: 's', task: 't-1', occurredAt: NOW + 10 }]]);
  });

  test.each<[string, Partial<MeshEvent>]>([
    ['of another tool, which its rule may not want', { payload: { task_id: 't-1', tool_name: 'Edit' } }],
    ['of another session', { session: 'x' }],
    ['from before the success', { occurredAt: NOW - 1 }],
  ])('a failure %s does not', (_what, event) => {
    fail(event);
    state.pause = undefined;
    collectResolves(state, NOW + 20);

    expect(state.notices).toHaveLength(1);
  });

  test('a failure takes back a success that was noted for an incident that is told of later', () => {
    noteFiring(state, 's', NOW);
    note({ session: 's' }, { tool: 'Write' });
    fail({ payload: { task_id: 't-1', tool_name: 'Write' } });

    open({ ...INCIDENT, tool: 'Write', occurredAt: NOW - 5 });

    expect(incidents().at(-1)).not.toHaveProperty('resolved');
  });
});

function broken(): unknown[] {
  return incidents().filter(({ resolved }) => !resolved);
}

/** As the watch does after each batch: whoever is to be told now is told. */
const incidents = () => [...state.incidents.values()];

function open(told: unknown, now = NOW): void {
  expect(openIncidents(state, told, now)).toBeUndefined();
  collectResolves(state, now);
}

function succeed(event: Partial<MeshEvent>, works: { task?: string; tool?: string }, root = 'another'): void {
  resolveIncidents(state, successOf(anEvent({ occurredAt: NOW, ...event }), root, works, NOW + 1));
  collectResolves(state, NOW + 1);
}

function note(event: Partial<MeshEvent>, works: { task?: string; tool?: string }, root = 'another'): void {
  noteSuccess(state, successOf(anEvent({ occurredAt: NOW, ...event }), root, works, NOW));
}
