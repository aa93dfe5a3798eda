import { beforeEach, describe, expect, test } from 'vitest';
import type { MeshEvent } from '#contract/event.js';
import type { SavedWatch } from '#workflows/saved-watch.js';
import { AGENT_LIFE_MS, listAgents } from '#rules/guards/known-agents.js';
import { announceAgents, END_LIFE_MS, noteEnd, pruneEnds } from '#workflows/watch-agents.js';
import { loadWatchState, saveWatchState, type WatchState } from '#workflows/watch-state.js';
import { anEvent } from '../../support/builders.js';

const REMEDIATION = 'remediation/default/r/e';
const AGENT = { ids: ['s-1'], depth: 1, root: 'e', path: ['r'], remediation: REMEDIATION, action: 'a' };
const END = { outcome: 'failed' as const, outputTail: 'the last words' };

let state: WatchState;
beforeEach(() => (state = loadWatchState({ tenant: 'default' }, 0)));

describe('an end', () => {
  test('is told to the remediation that waits for it, once', () => {
    announceAgents(state, [{ ...AGENT, isAwaited: true }], 0);

    noteEnd(state, ended({ session: 's-1' }), END, 1);
    noteEnd(state, ended({ session: 's-1' }), END, 2);

    expect(state.outgoing).toEqual([
      { remediation: REMEDIATION, news: { action: 'a', state: 'finished', agentId: 's-1', ids: ['s-1'], ...END } },
    ]);
    expect(state.ends).toEqual([]);
  });

  test('is told with every id of its agent, also by a name that a later attempt did not learn', () => {
    announceAgents(state, [{ ...AGENT, ids: ['s-1', 'worker-1'], isAwaited: true }], 0);
    announceAgents(state, [{ ...AGENT, isAwaited: true }], 1);

    noteEnd(state, ended({ agent: 'worker-1' }), END, 2);

    expect(state.outgoing).toMatchObject([{ news: { agentId: 'worker-1', ids: ['s-1', 'worker-1'] } }]);
  });

  test('that names a session is that of the agent with this session, not of another that has the name by now', () => {
    const other = { ...AGENT, ids: ['s-2', 'worker-1'], remediation: 'remediation/default/r/e-2' };
    announceAgents(state, [{ ...AGENT, ids: ['s-1', 'worker-1'], isAwaited: true }], 0);
    announceAgents(state, [{ ...other, isAwaited: true }], 1);

    noteEnd(state, ended({ agent: 'worker-1', session: 's-1' }), END, 2);
    noteEnd(state, ended({ agent: 'worker-1', session: 's-1' }), END, 3);

    expect(state.outgoing).toMatchObject([{ remediation: REMEDIATION, news: { agentId: 's-1' } }]);
    noteEnd(state, ended({ agent: 'worker-1' }), END, 4);
    expect(state.outgoing).toMatchObject([{}, { remediation: 'remediation/default/r/e-2' }]);
  });

  describe('that carries the token of another remediation', () => {
    const lineage = { depth: 1, root: 'x', parent: 'remediation/default/r/x', path: ['r'] };
    const ofThis = { ...lineage, parent: REMEDIATION };
    const named = { ...AGENT, ids: ['s-1', 'worker-1'], isAwaited: true };

    test('is not that of an agent which has the same name', () => {
      announceAgents(state, [named], 0);

      noteEnd(state, ended({ agent: 'worker-1', session: 'foreign' }), END, 1, lineage);
      expect(state.outgoing).toEqual([]);

      noteEnd(state, ended({ agent: 'worker-1' }), END, 2, ofThis);
      expect(state.outgoing).toMatchObject([{ news: { agentId: 'worker-1' } }]);
    });

    test('is not either where the name becomes known later', () => {
      announceAgents(state, [{ ...named, ids: ['s-1'] }], 0);
      noteEnd(state, ended({ agent: 'worker-1' }), END, 1, lineage);
      noteEnd(state, ended({ agent: 'worker-2' }), END, 1, ofThis);
      const carried = reload(state);

      announceAgents(carried, [named], 2);
      expect(carried.outgoing).toEqual([]);
      announceAgents(carried, [{ ...named, ids: ['s-1', 'worker-2'] }], 3);
      expect(carried.outgoing).toMatchObject([{ news: { agentId: 'worker-2' } }]);
    });

    test('is that of an agent whose session it has: a runtime may hand on a token of its own', () => {
      announceAgents(state, [named], 0);

      noteEnd(state, ended({ session: 's-1' }), END, 1, lineage);

      expect(state.outgoing).toMatchObject([{ news: { agentId: 's-1' } }]);
    });
  });

  test('of a subagent is not that of the agent whose session it ran in', () => {
    announceAgents(state, [{ ...AGENT, isAwaited: true }], 0);
    announceAgents(state, [{ ...AGENT, ids: ['s-2', 'sub'], action: 'b', isAwaited: true }], 0);

    noteEnd(state, ended({ event: 'SubagentStop', session: 's-1', payload: { agent_id: 'sub' } }), END, 1);

    expect(state.outgoing).toMatchObject([{ news: { action: 'b', agentId: 'sub' } }]);
  });

  test('is told again to a retry that asks for the same agent, since nobody else will tell it', () => {
    announceAgents(state, [{ ...AGENT, ids: ['s-1', 'a-1'], isAwaited: true }], 0);
    noteEnd(state, ended({ agent: 'a-1' }), END, 1);
    noteEnd(state, ended({ session: 's-1' }), { outcome: 'success' }, 2);
    const carried = reload(state);

    announceAgents(carried, [{ ...AGENT, isAwaited: true }], 3);

    const news = { action: 'a', state: 'finished', agentId: 's-1', ids: ['s-1', 'a-1'], ...END };
    expect(carried.outgoing).toEqual([{ remediation: REMEDIATION, news }]);
    expect(listAgents(carried.memory.agents)).toMatchObject([{ isAwaited: false, end: END }]);
  });

  test('is not told again where nobody waits for it any more, nor to a retry with an agent of its own', () => {
    announceAgents(state, [{ ...AGENT, isAwaited: true }], 0);
    noteEnd(state, ended({ session: 's-1' }), END, 1);
    state.outgoing = [];

    announceAgents(state, [AGENT], 2);
    announceAgents(state, [{ ...AGENT, ids: ['s-2'], isAwaited: true }], 3);

    expect(state.outgoing).toEqual([]);
  });

  test('that names only the agent finds it after continue-as-new, though a later attempt did not learn the name', () => {
    announceAgents(state, [{ ...AGENT, ids: ['s-1', 'worker-1'], isAwaited: true }], 0);
    announceAgents(state, [{ ...AGENT, isAwaited: true }], 1);
    const carried = reload(state);

    noteEnd(carried, ended({ agent: 'worker-1' }), END, 2);

    expect(carried.outgoing).toMatchObject([{ news: { agentId: 'worker-1', ids: ['s-1', 'worker-1'] } }]);
  });

  test('is told to nobody when nobody waits', () => {
    announceAgents(state, [AGENT], 0);

    noteEnd(state, ended({ session: 's-1' }), END, 1);

    expect([state.outgoing, state.ends]).toEqual([[], []]);
  });

  test('of an agent nobody knows is kept for ten minutes, without one that has no id', () => {
    noteEnd(state, ended({ session: 's-9' }), END, 1);
    noteEnd(state, ended({}), END, 1);

    expect(state.ends).toEqual([{ ids: ['s-9'], ...END, at: 1 }]);
    pruneEnds(state, END_LIFE_MS);
    expect(state.ends).toHaveLength(1);
    pruneEnds(state, END_LIFE_MS + 1);
    expect(state.ends).toEqual([]);
  });

  test('that came before its agent was announced is told then', () => {
    noteEnd(state, ended({ agent: 'a-1' }), END, 1);

    announceAgents(state, [{ ...AGENT, ids: ['s-1', 'a-1'], isAwaited: true }], 2);

    expect(state.outgoing).toMatchObject([{ news: { agentId: 'a-1', outcome: 'failed' } }]);
    expect(state.ends).toEqual([]);
  });

  test('that came before its agent was known by the name it is reported under is told then', () => {
    announceAgents(state, [{ ...AGENT, isAwaited: true }], 1);
    noteEnd(state, ended({ agent: 'worker-1' }), END, 1);

    announceAgents(state, [{ ...AGENT, ids: ['s-1', 'worker-1'], isAwaited: true }], 2);

    expect(state.outgoing).toMatchObject([{ news: { agentId: 'worker-1', outcome: 'failed' } }]);
  });

  test.each([
    ['a moment later', 3],
    ['at once', 2],
  ])('from before the launch is not that of an agent that gets the same name %s', (_, namedAt) => {
    noteEnd(state, ended({ agent: 'worker-1' }), END, 1);

    announceAgents(state, [{ ...AGENT, ids: ['s-1'], isAwaited: true }], 2);
    announceAgents(state, [{ ...AGENT, ids: ['s-1', 'worker-1'], isAwaited: true }], namedAt);

    expect(state.outgoing).toEqual([]);
  });

  test('from before the launch is not that of a fallback agent either, however long its action has been at it', () => {
    announceAgents(state, [AGENT], 0);
    noteEnd(state, ended({ agent: 'worker-1' }), END, 1);

    announceAgents(state, [{ ...AGENT, ids: ['s-2'], isAwaited: true }], 2);
    announceAgents(state, [{ ...AGENT, ids: ['s-2', 'worker-1'], isAwaited: true }], 3);

    expect(state.outgoing).toEqual([]);
  });

  test('of which there are too many pushes out the oldest', () => {
    for (let index = 0; index < 201; index++) noteEnd(state, ended({ session: `s-${index}` }), END, index);

    expect([state.ends.length, state.ends[0]?.ids]).toEqual([200, ['s-1']]);
  });
});

describe('the signal about agents', () => {
  test('fills in what a person leaves out, and takes one agent for a list of one', () => {
    const { path: _path, action: _action, ...short } = AGENT;

    expect(announceAgents(state, { ...short, ids: 's-1' }, 5)).toBeUndefined();

    expect(listAgents(state.memory.agents)).toEqual([
      { ...AGENT, path: [], action: '', isAwaited: false, untilAt: 5 + AGENT_LIFE_MS, sinceAt: 5 },
    ]);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['an empty list', []],
    ['a text', 'agent'],
    ['a list of nothing', [null]],
    ['an agent without ids', { ...AGENT, ids: [] }],
    ['ids that are no texts', { ...AGENT, ids: [7, {}] }],
    ['a depth that is no number', { ...AGENT, depth: '1' }],
    ['a depth below zero', { ...AGENT, depth: -1 }],
    ['no first event', { ...AGENT, root: undefined }],
    ['what is no remediation', { ...AGENT, remediation: 'watch/default' }],
    ['a remediation of another tenant', { ...AGENT, remediation: 'remediation/acme/r/e' }],
  ])('refuses %s, and says what it wants', (_what, argument) => {
    expect(announceAgents(state, argument, 0)).toContain('expected a list of agents');

    expect(state.memory.agents.size).toBe(0);
  });

  test('takes the good ones of a list, and says that there were others', () => {
    expect(announceAgents(state, [AGENT, { ids: ['x'] }], 0)).toContain('expected');

    expect([...state.memory.agents.keys()]).toEqual(['s-1']);
  });
});

function ended(from: Partial<MeshEvent>): MeshEvent {
  return anEvent({ event: 'TaskCompleted', ...from });
}

/** As the next run of the watch has it. */
function reload(state: WatchState): WatchState {
  const saved = JSON.parse(JSON.stringify(saveWatchState(state, []))) as SavedWatch;
  return loadWatchState({ tenant: state.tenant, saved }, 0);
}
