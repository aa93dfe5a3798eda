import { beforeEach, describe, expect, test } from 'vitest';
import type { MeshEvent } from '../../../contract/event.js';
import {
  INCIDENT_LIFE_MS,
  openIncidents,
  pruneIncidents,
  resolveIncidents,
  successOf,
} from '../../../workflows/incidents.js';
import {
  MAX_SUCCESSES,
  MAX_TROUBLED,
  noteSuccess,
  noteTrouble,
  SUCCESS_LIFE_MS,
} from '../../../workflows/noted-successes.js';
import { loadWatchState, type WatchState } from '../../../workflows/watch-state.js';
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
    openIncidents(state, [INCIDENT], NOW);

    succeed({ id: 'ok', event: 'TaskCompleted', session: 's' }, { task: 't-1' });
    succeed({ id: 'again', event: 'TaskCompleted', session: 's' }, { task: 't-1' });

    expect(state.incidents).toEqual([]);
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
    openIncidents(state, [INCIDENT], NOW);

    succeed(event, works, root);

    expect(state.notices).toHaveLength(1);
  });

  test.each<[string, Partial<MeshEvent>, { task?: string; tool?: string }, string?]>([
    ['of another task and tool', { session: 's' }, { task: 't-2', tool: 'Edit' }],
    ['in another session and chain', { session: 'other' }, { task: 't-1' }],
    ['without a session, in another chain', {}, { task: 't-1' }],
    ['in the same session, from before it', { session: 's', occurredAt: NOW - 9_001 }, { task: 't-1' }, 'e'],
    ['in its chain, from more than a minute before it', { occurredAt: NOW - 69_001 }, { task: 't-1' }, 'e'],
  ])('%s does not end it', (_what, event, works, root) => {
    openIncidents(state, [INCIDENT], NOW);

    succeed(event, works, root);

    expect([state.notices, state.incidents.length]).toEqual([[], 1]);
  });

  test('counts only for what the channel is to resolve on', () => {
    openIncidents(state, [{ ...INCIDENT, resolveOn: ['task'] }], NOW);

    succeed({ session: 's' }, { tool: 'Bash' });

    expect(state.notices).toEqual([]);
  });

  test('of a tool ends no incident without one', () => {
    const { tool: _tool, ...taskOnly } = INCIDENT;
    openIncidents(state, [taskOnly], NOW);

    succeed({ session: 's' }, {});

    expect(state.notices).toEqual([]);
  });

  test('ends every incident that it is about', () => {
    openIncidents(state, [INCIDENT, { ...INCIDENT, channel: 'other' }, { ...INCIDENT, key: 'k2', tool: 'Edit' }], NOW);

    succeed({ session: 's' }, { tool: 'Bash' });

    expect(new Set(state.notices.map(({ id }) => id)).size).toBe(2);
    expect(state.incidents).toMatchObject([{ key: 'k2' }]);
  });
});

test('an incident of an older run, which did not say when it began, is ended by what succeeds after it was opened', () => {
  const { occurredAt: _unknown, ...older } = INCIDENT;
  openIncidents(state, [older], NOW);

  succeed({ session: 's', occurredAt: NOW - 60_001 }, { task: 't-1' });
  expect(state.notices).toEqual([]);
  succeed({ session: 's', occurredAt: NOW - 60_000 }, { task: 't-1' });
  expect(state.notices).toHaveLength(1);
});

describe('a success from before the delivery has told of the incident', () => {
  test('ends it at once, also when the delivery tells of it again', () => {
    noteTrouble(state, 's', NOW - 9_000);
    note({ id: 'ok', session: 's', occurredAt: NOW - 8_000 }, { task: 't-1' });

    openIncidents(state, [INCIDENT], NOW);
    openIncidents(state, [{ ...INCIDENT, openedAt: NOW + 5 }], NOW + 5);

    expect(state.incidents).toEqual([]);
    expect(state.notices).toMatchObject([
      { kind: 'resolve', incident: { openedAt: NOW }, by: { eventId: 'ok' } },
      { kind: 'resolve', incident: { openedAt: NOW + 5 }, by: { eventId: 'ok' } },
    ]);
  });

  test('ends it in its chain, whatever the session', () => {
    state.memory.chains.set('e', { root: 'e', remediations: 1, deepest: 0, lastAt: NOW });
    note({ session: 'other' }, { tool: 'Bash' }, 'e');

    openIncidents(state, [INCIDENT], NOW);

    expect(state.notices).toHaveLength(1);
  });

  test.each<[string, Partial<MeshEvent>, { task?: string; tool?: string }, string?]>([
    ['from before the failure', { session: 's', occurredAt: NOW - 9_001 }, { task: 't-1' }],
    ['of another task', { session: 's' }, { task: 't-2' }],
    ['of another session', { session: 'other' }, { task: 't-1' }],
    // It may be about an earlier failure of the chain.
    ['in its chain, by a clock that is behind', { session: 'other', occurredAt: NOW - 9_001 }, { task: 't-1' }, 'e'],
  ])('does not end it when it is %s', (_what, event, works, root) => {
    for (const session of ['s', 'other']) noteTrouble(state, session, NOW);
    state.memory.chains.set('e', { root: 'e', remediations: 1, deepest: 0, lastAt: NOW });
    note(event, works, root);

    openIncidents(state, [INCIDENT], NOW);

    expect([state.notices, state.incidents.length]).toEqual([[], 1]);
  });

  test('is only noted where a rule has fired', () => {
    note({ session: 's' }, { task: 't-1' });
    note({}, { task: 't-1' });

    expect(state.successes.size).toBe(0);
  });

  test('is noted once for each task and tool of a session: the last one', () => {
    noteTrouble(state, 's', NOW);
    for (const occurredAt of [NOW - 1, NOW + 5, NOW + 1]) note({ session: 's', occurredAt }, { tool: 'Bash' });

    expect([...state.successes.values()]).toMatchObject([{ session: 's', tool: 'Bash', occurredAt: NOW + 5 }]);
  });

  test('is one of so many; the oldest go, and so do the sessions in which rules fired', () => {
    noteTrouble(state, 's', NOW);
    for (let index = 0; index <= MAX_SUCCESSES; index++) note({ session: 's' }, { task: `t-${index}` });
    expect(state.successes.size).toBe(MAX_SUCCESSES);
    expect([...state.successes.values()][0]?.task).toBe('t-1');

    for (let index = 0; index <= MAX_TROUBLED; index++) noteTrouble(state, `s-${index}`, NOW);
    expect(state.troubled.size).toBe(MAX_TROUBLED);
  });

  test('is forgotten after a day, and so is the session', () => {
    noteTrouble(state, 's', NOW);
    note({ session: 's' }, { task: 't-1' });

    pruneIncidents(state, NOW + SUCCESS_LIFE_MS - 1);
    expect([state.successes.size, state.troubled.size]).toEqual([1, 1]);
    pruneIncidents(state, NOW + SUCCESS_LIFE_MS);
    expect([state.successes.size, state.troubled.size]).toEqual([0, 0]);
  });
});

describe('open incidents', () => {
  test('are known once for each receiver and key; the last news of one holds', () => {
    openIncidents(state, [INCIDENT, { ...INCIDENT, session: 'other' }], NOW);
    openIncidents(state, { ...INCIDENT, session: 's-3', openedAt: NOW + 5 }, NOW + 5);

    expect(state.incidents.at(-1)).toMatchObject({ session: 's-3', openedAt: NOW + 5 });
    expect(state.incidents.filter(({ session }) => session === 's')).toEqual([]);
  });

  test('are 500 at most; the oldest go', () => {
    for (let index = 0; index < 501; index++) openIncidents(state, { ...INCIDENT, key: `k-${index}` }, NOW);

    expect([state.incidents.length, state.incidents[0]?.key]).toEqual([500, 'k-1']);
  });

  test('are forgotten after a week', () => {
    openIncidents(state, INCIDENT, NOW);

    pruneIncidents(state, NOW + INCIDENT_LIFE_MS - 1);
    expect(state.incidents).toHaveLength(1);
    pruneIncidents(state, NOW + INCIDENT_LIFE_MS);
    expect(state.incidents).toEqual([]);
  });

  test('are not opened in the future', () => {
    openIncidents(state, { ...INCIDENT, openedAt: NOW * 2 }, NOW);

    expect(state.incidents[0]?.openedAt).toBe(NOW);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'incident'],
    ['one of another tenant', { ...INCIDENT, tenant: 'acme' }],
    ['one that nothing ends', { ...INCIDENT, resolveOn: ['never'] }],
    ['one without a key', { ...INCIDENT, key: '' }],
  ])('refuses %s, and says what it wants', (_what, argument) => {
    expect(openIncidents(state, argument, NOW)).toContain('expected a list of incidents');

    expect(state.incidents).toEqual([]);
  });
});

function succeed(event: Partial<MeshEvent>, works: { task?: string; tool?: string }, root = 'another'): void {
  resolveIncidents(state, successOf(anEvent({ occurredAt: NOW, ...event }), root, works, NOW + 1), NOW + 1);
}

function note(event: Partial<MeshEvent>, works: { task?: string; tool?: string }, root = 'another'): void {
  noteSuccess(state, successOf(anEvent({ occurredAt: NOW, ...event }), root, works, NOW));
}
