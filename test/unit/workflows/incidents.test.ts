import { beforeEach, describe, expect, test } from 'vitest';
import type { MeshEvent } from '../../../contract/event.js';
import { INCIDENT_LIFE_MS, openIncidents, pruneIncidents, resolveIncidents } from '../../../workflows/incidents.js';
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
    ['reported by a clock that is a minute behind', { session: 's', occurredAt: NOW - 60_000 }, { tool: 'Bash' }, 'e'],
  ])('%s ends it', (_what, event, works, root) => {
    openIncidents(state, [INCIDENT], NOW);

    succeed(event, works, root);

    expect(state.notices).toHaveLength(1);
  });

  test.each<[string, Partial<MeshEvent>, { task?: string; tool?: string }]>([
    ['of another task and tool', { session: 's' }, { task: 't-2', tool: 'Edit' }],
    ['in another session and chain', { session: 'other' }, { task: 't-1' }],
    ['without a session, in another chain', {}, { task: 't-1' }],
    ['from before it', { session: 's', occurredAt: NOW - 60_001 }, { task: 't-1' }],
  ])('%s does not end it', (_what, event, works) => {
    openIncidents(state, [INCIDENT], NOW);

    succeed(event, works);

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
  resolveIncidents(state, { event: anEvent({ occurredAt: NOW, ...event }), root, works }, NOW + 1);
}
