import { beforeEach, describe, expect, test } from 'vitest';
import type { MeshEvent } from '../../../contract/event.js';
import { AGENT_LIFE_MS, listAgents } from '../../../rules/guards/known-agents.js';
import { announceAgents, END_LIFE_MS, noteEnd, pruneEnds } from '../../../workflows/watch-agents.js';
import { loadWatchState, type WatchState } from '../../../workflows/watch-state.js';
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
      { remediation: REMEDIATION, news: { action: 'a', state: 'finished', agentId: 's-1', ...END } },
    ]);
    expect(state.ends).toEqual([]);
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

  test('that came before its agent was announced is told then, once', () => {
    noteEnd(state, ended({ agent: 'a-1' }), END, 1);

    announceAgents(state, [{ ...AGENT, ids: ['s-1', 'a-1'], isAwaited: true }], 2);
    announceAgents(state, [{ ...AGENT, ids: ['s-1', 'a-1'], isAwaited: true }], 3);

    expect(state.outgoing).toMatchObject([{ news: { agentId: 'a-1', outcome: 'failed' } }]);
    expect(state.ends).toEqual([]);
  });

  test('from before the launch is not that of an agent that gets the same name', () => {
    noteEnd(state, ended({ agent: 'worker-1' }), END, 1);

    announceAgents(state, [{ ...AGENT, ids: ['s-1'], isAwaited: true }], 2);
    announceAgents(state, [{ ...AGENT, ids: ['s-1', 'worker-1'], isAwaited: true }], 3);

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
