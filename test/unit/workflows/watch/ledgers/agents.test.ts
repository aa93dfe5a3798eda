import { beforeEach, describe, expect, test } from 'vitest';
import type { MeshEvent } from '#contract/event.js';
import type { AgentEnd, ProvenLineage } from '#contract/matched.js';
import { AGENT_LIFE_MS, endedIdsOf, listAgents } from '#rules/guards/known-agents.js';
import { emptyMemory, type GuardMemory } from '#rules/guards/memory.js';
import { type Agents, createAgents, END_LIFE_MS } from '#workflows/watch/ledgers/agents.js';
import { anEvent } from '#test/support/builders.js';

const REMEDIATION = 'remediation/default/r/e';
const AGENT = { ids: ['s-1'], depth: 1, root: 'e', path: ['r'], remediation: REMEDIATION, action: 'a' };
const END = { outcome: 'failed' as const, outputTail: 'the last words' };

let memory: GuardMemory;
let agents: Agents;
beforeEach(reset);

describe('an end', () => {
  test('is told to the remediation that waits for it, once', () => {
    agents.announce([{ ...AGENT, isAwaited: true }], 0);

    noteEnd(ended({ session: 's-1' }), END, 1);
    noteEnd(ended({ session: 's-1' }), END, 2);

    expect(agents.outgoing).toEqual([
      { remediation: REMEDIATION, news: { action: 'a', state: 'finished', agentId: 's-1', ids: ['s-1'], ...END } },
    ]);
    expect(agents.save().ends).toEqual([]);
  });

  test('is told with every id of its agent, also by a name that a later attempt did not learn', () => {
    agents.announce([{ ...AGENT, ids: ['s-1', 'worker-1'], isAwaited: true }], 0);
    agents.announce([{ ...AGENT, isAwaited: true }], 1);

    noteEnd(ended({ agent: 'worker-1' }), END, 2);

    expect(agents.outgoing).toMatchObject([{ news: { agentId: 'worker-1', ids: ['s-1', 'worker-1'] } }]);
  });

  test('that names a session is that of the agent with this session, not of another that has the name by now', () => {
    const other = { ...AGENT, ids: ['s-2', 'worker-1'], remediation: 'remediation/default/r/e-2' };
    agents.announce([{ ...AGENT, ids: ['s-1', 'worker-1'], isAwaited: true }], 0);
    agents.announce([{ ...other, isAwaited: true }], 1);

    noteEnd(ended({ agent: 'worker-1', session: 's-1' }), END, 2);
    noteEnd(ended({ agent: 'worker-1', session: 's-1' }), END, 3);

    expect(agents.outgoing).toMatchObject([{ remediation: REMEDIATION, news: { agentId: 's-1' } }]);
    noteEnd(ended({ agent: 'worker-1' }), END, 4);
    expect(agents.outgoing).toMatchObject([{}, { remediation: 'remediation/default/r/e-2' }]);
  });

  describe('that carries the token of another remediation', () => {
    const lineage = { depth: 1, root: 'x', parent: 'remediation/default/r/x', path: ['r'] };
    const ofThis = { ...lineage, parent: REMEDIATION };
    const named = { ...AGENT, ids: ['s-1', 'worker-1'], isAwaited: true };

    test('is not that of an agent which has the same name', () => {
      agents.announce([named], 0);

      noteEnd(ended({ agent: 'worker-1', session: 'foreign' }), END, 1, lineage);
      expect(agents.outgoing).toEqual([]);

      noteEnd(ended({ agent: 'worker-1' }), END, 2, ofThis);
      expect(agents.outgoing).toMatchObject([{ news: { agentId: 'worker-1' } }]);
    });

    test('is not either where the name becomes known later', () => {
      agents.announce([{ ...named, ids: ['s-1'] }], 0);
      noteEnd(ended({ agent: 'worker-1' }), END, 1, lineage);
      noteEnd(ended({ agent: 'worker-2' }), END, 1, ofThis);
      reload();

      agents.announce([named], 2);
      expect(agents.outgoing).toEqual([]);
      agents.announce([{ ...named, ids: ['s-1', 'worker-2'] }], 3);
      expect(agents.outgoing).toMatchObject([{ news: { agentId: 'worker-2' } }]);
    });

    test('is that of an agent whose session it has: a runtime may hand on a token of its own', () => {
      agents.announce([named], 0);

      noteEnd(ended({ session: 's-1' }), END, 1, lineage);

      expect(agents.outgoing).toMatchObject([{ news: { agentId: 's-1' } }]);
    });
  });

  test('of a subagent is not that of the agent whose session it ran in', () => {
    agents.announce([{ ...AGENT, isAwaited: true }], 0);
    agents.announce([{ ...AGENT, ids: ['s-2', 'sub'], action: 'b', isAwaited: true }], 0);

    noteEnd(ended({ event: 'SubagentStop', session: 's-1', payload: { agent_id: 'sub' } }), END, 1);

    expect(agents.outgoing).toMatchObject([{ news: { action: 'b', agentId: 'sub' } }]);
  });

  test('is told again to a retry that asks for the same agent, since nobody else will tell it', () => {
    agents.announce([{ ...AGENT, ids: ['s-1', 'a-1'], isAwaited: true }], 0);
    noteEnd(ended({ agent: 'a-1' }), END, 1);
    noteEnd(ended({ session: 's-1' }), { outcome: 'success' }, 2);
    reload();

    agents.announce([{ ...AGENT, isAwaited: true }], 3);

    const news = { action: 'a', state: 'finished', agentId: 's-1', ids: ['s-1', 'a-1'], ...END };
    expect(agents.outgoing).toEqual([{ remediation: REMEDIATION, news }]);
    expect(listAgents(memory.agents)).toMatchObject([{ isAwaited: false, end: END }]);
  });

  test('is not told again where nobody waits for it any more, nor to a retry with an agent of its own', () => {
    agents.announce([{ ...AGENT, isAwaited: true }], 0);
    noteEnd(ended({ session: 's-1' }), END, 1);
    agents.outgoing.length = 0;

    agents.announce([AGENT], 2);
    agents.announce([{ ...AGENT, ids: ['s-2'], isAwaited: true }], 3);

    expect(agents.outgoing).toEqual([]);
  });

  test('that names only the agent finds it after continue-as-new, though a later attempt did not learn the name', () => {
    agents.announce([{ ...AGENT, ids: ['s-1', 'worker-1'], isAwaited: true }], 0);
    agents.announce([{ ...AGENT, isAwaited: true }], 1);
    reload();

    noteEnd(ended({ agent: 'worker-1' }), END, 2);

    expect(agents.outgoing).toMatchObject([{ news: { agentId: 'worker-1', ids: ['s-1', 'worker-1'] } }]);
  });

  test('is told to nobody when nobody waits', () => {
    agents.announce([AGENT], 0);

    noteEnd(ended({ session: 's-1' }), END, 1);

    expect([agents.outgoing, agents.save().ends]).toEqual([[], []]);
  });

  test('of an agent nobody knows is kept for ten minutes, without one that has no id', () => {
    noteEnd(ended({ session: 's-9' }), END, 1);
    noteEnd(ended({}), END, 1);

    expect(agents.save().ends).toEqual([{ ids: ['s-9'], ...END, at: 1 }]);
    agents.prune?.(END_LIFE_MS);
    expect(agents.save().ends).toHaveLength(1);
    agents.prune?.(END_LIFE_MS + 1);
    expect(agents.save().ends).toEqual([]);
  });

  test('that came before its agent was announced is told then', () => {
    noteEnd(ended({ agent: 'a-1' }), END, 1);

    agents.announce([{ ...AGENT, ids: ['s-1', 'a-1'], isAwaited: true }], 2);

    expect(agents.outgoing).toMatchObject([{ news: { agentId: 'a-1', outcome: 'failed' } }]);
    expect(agents.save().ends).toEqual([]);
  });

  test('that came before its agent was known by the name it is reported under is told then', () => {
    agents.announce([{ ...AGENT, isAwaited: true }], 1);
    noteEnd(ended({ agent: 'worker-1' }), END, 1);

    agents.announce([{ ...AGENT, ids: ['s-1', 'worker-1'], isAwaited: true }], 2);

    expect(agents.outgoing).toMatchObject([{ news: { agentId: 'worker-1', outcome: 'failed' } }]);
  });

  test.each([
    ['a moment later', 3],
    ['at once', 2],
  ])('from before the launch is not that of an agent that gets the same name %s', (_, namedAt) => {
    noteEnd(ended({ agent: 'worker-1' }), END, 1);

    agents.announce([{ ...AGENT, ids: ['s-1'], isAwaited: true }], 2);
    agents.announce([{ ...AGENT, ids: ['s-1', 'worker-1'], isAwaited: true }], namedAt);

    expect(agents.outgoing).toEqual([]);
  });

  test('from before the launch is not that of a fallback agent either, however long its action has been at it', () => {
    agents.announce([AGENT], 0);
    noteEnd(ended({ agent: 'worker-1' }), END, 1);

    agents.announce([{ ...AGENT, ids: ['s-2'], isAwaited: true }], 2);
    agents.announce([{ ...AGENT, ids: ['s-2', 'worker-1'], isAwaited: true }], 3);

    expect(agents.outgoing).toEqual([]);
  });

  test('of which there are too many pushes out the oldest', () => {
    for (let index = 0; index < 201; index++) noteEnd(ended({ session: `s-${index}` }), END, index);

    expect([agents.save().ends.length, agents.save().ends[0]?.ids]).toEqual([200, ['s-1']]);
  });
});

describe('the signal about agents', () => {
  test('fills in what a person leaves out, and takes one agent for a list of one', () => {
    const { path: _path, action: _action, ...short } = AGENT;

    expect(agents.announce({ ...short, ids: 's-1' }, 5)).toBeUndefined();

    expect(listAgents(memory.agents)).toEqual([
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
    expect(agents.announce(argument, 0)).toContain('expected a list of agents');

    expect(memory.agents.size).toBe(0);
  });

  test('takes the good ones of a list, and says that there were others', () => {
    expect(agents.announce([AGENT, { ids: ['x'] }], 0)).toContain('expected');

    expect([...memory.agents.keys()]).toEqual(['s-1']);
  });
});

function ended(from: Partial<MeshEvent>): MeshEvent {
  return anEvent({ event: 'TaskCompleted', ...from });
}

function reset(): void {
  memory = emptyMemory();
  agents = createAgents('default', memory);
}

/** As the next run of the watch has it. */
function reload(): void {
  const saved = JSON.parse(JSON.stringify(agents.save())) as ReturnType<Agents['save']>;
  reset();
  agents.load(saved);
}

/** As judging an event finds out. */
function noteEnd(event: MeshEvent, end: AgentEnd, at: number, lineage?: ProvenLineage): void {
  const { id, event: name, depth, session } = event;
  const parent = lineage && 'parent' in lineage ? { parent: lineage.parent } : {};
  const ended = { end, ids: endedIdsOf(event), ...(session !== undefined && { session }), ...parent };
  agents.learn?.({ at, about: { id, event: name, depth }, verdicts: [], missed: [], fires: [], ended });
}
