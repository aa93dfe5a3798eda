import { describe, expect, test } from 'vitest';
import type { AnnouncedAgent } from '#contract/watch.js';
import {
  AGENT_LIFE_MS,
  endedIdsOf,
  type KnownAgents,
  listAgents,
  MAX_IDS_OF_AGENT,
  MAX_KNOWN_AGENTS,
  noteAgent,
  pruneAgents,
} from '#rules/guards/known-agents.js';
import { anEvent } from '../../../support/builders.js';

describe('noteAgent', () => {
  test('remembers an agent under each of its ids, for a day at most', () => {
    const agents: KnownAgents = new Map();

    noteAgent(agents, anAgent({ ids: ['session', 'agent'], untilAt: Infinity }), 100);

    expect(agents.get('session')).toBe(agents.get('agent'));
    expect(agents.get('agent')).toMatchObject({ untilAt: 100 + AGENT_LIFE_MS, sinceAt: 100 });
    expect(listAgents(agents)).toHaveLength(1);
  });

  test('gives an id to whoever was announced last', () => {
    const agents: KnownAgents = new Map();
    noteAgent(agents, anAgent({ ids: ['worker', 'a'], depth: 2 }), 0);

    noteAgent(agents, anAgent({ ids: ['worker', 'b'], depth: 1, remediation: 'other' }), 1);

    expect(['worker', 'a', 'b'].map((id) => agents.get(id)?.depth)).toEqual([1, 2, 1]);
  });

  test('knows an agent that is announced again by its session, with all it has learnt of it', () => {
    const agents: KnownAgents = new Map();
    const end = { outcome: 'failed' as const };
    Object.assign(noteAgent(agents, anAgent({ ids: ['session', 'name'] }), 100), { end });

    const again = noteAgent(agents, anAgent({ ids: ['session', 'other name'] }), 200);
    const other = noteAgent(agents, anAgent({ ids: ['other session'] }), 300);
    const namesake = noteAgent(agents, anAgent({ ids: ['session'], action: 'other' }), 400);

    expect(again).toMatchObject({ ids: ['session', 'other name', 'name'], sinceAt: 100, end });
    expect([other.sinceAt, namesake.sinceAt, namesake.ids]).toEqual([300, 400, ['session']]);
    expect(listAgents(agents)).toEqual([again, other, namesake]);
  });

  test('does not give back to an agent that is announced again the names that are those of others by now', () => {
    const agents: KnownAgents = new Map();
    noteAgent(agents, anAgent({ ids: ['session', 'name'] }), 0);
    const other = noteAgent(agents, anAgent({ ids: ['other session', 'name'], remediation: 'other' }), 1);

    expect(noteAgent(agents, anAgent({ ids: ['session'] }), 2).ids).toEqual(['session']);
    expect(agents.get('name')).toBe(other);
  });

  test('keeps the newest names of an agent that gets ever more of them', () => {
    const agents: KnownAgents = new Map();
    for (let index = 0; index <= MAX_IDS_OF_AGENT; index++) {
      noteAgent(agents, anAgent({ ids: ['session', `name-${index}`] }), index);
    }

    const newest = Array.from({ length: MAX_IDS_OF_AGENT - 1 }, (_, index) => `name-${MAX_IDS_OF_AGENT - index}`);
    expect(agents.get('session')?.ids).toEqual(['session', ...newest]);
    expect([...agents.keys()].sort()).toEqual(['session', ...newest].sort());
  });

  test('forgets the agent announced first when there are too many, with all its ids', () => {
    const agents: KnownAgents = new Map();
    for (let index = 0; index <= MAX_KNOWN_AGENTS; index++) {
      noteAgent(agents, anAgent({ ids: [`s${index}`, `a${index}`], remediation: `r${index}` }), index);
    }

    expect(listAgents(agents)).toHaveLength(MAX_KNOWN_AGENTS);
    expect(['s0', 'a0', 's1', `a${MAX_KNOWN_AGENTS}`].map((id) => agents.has(id))).toEqual([false, false, true, true]);
  });
});

test('pruneAgents forgets an agent at the instant its time is over', () => {
  const agents: KnownAgents = new Map();
  noteAgent(agents, anAgent({ ids: ['old'], untilAt: 10 }), 0);
  noteAgent(agents, anAgent({ ids: ['young'], untilAt: 11 }), 0);

  pruneAgents(agents, 10);

  expect([...agents.keys()]).toEqual(['young']);
});

describe('endedIdsOf', () => {
  test('are the ids of agent and session', () => {
    const event = anEvent({ event: 'TaskCompleted', agent: 'name', session: 's', payload: { agent_id: 'id' } });

    expect(endedIdsOf(event)).toEqual(['name', 'id', 's']);
  });

  test.each([
    ['is not that of the session it ended in', { agent_id: 'sub' }, ['sub']],
    ['is taken by its session when it has no id', {}, ['s']],
  ])('a subagent %s', (_, payload, ids) => {
    for (const event of ['SubagentStop', 'subagent_stop', 'subagent.stop']) {
      expect(endedIdsOf(anEvent({ event, session: 's', payload }))).toEqual(ids);
    }
  });
});

function anAgent(given: Partial<AnnouncedAgent>): AnnouncedAgent {
  const rest = { depth: 1, root: 'root', path: [], remediation: 'remediation/t/r/e', action: 'a' };
  return { ids: ['id'], ...rest, isAwaited: false, untilAt: 1_000_000, ...given };
}
