import { describe, expect, test } from 'vitest';
import type { MeshEvent } from '#contract/event.js';
import type { ProvenLineage } from '#contract/matched.js';
import type { AnnouncedAgent } from '#contract/watch.js';
import { type KnownAgents, noteAgent } from '#rules/guards/known-agents.js';
import { placeEvent } from '#rules/guards/place-event.js';
import { anEvent } from '../../../support/builders.js';

const NOW = 1_000;

describe('without token or known agent', () => {
  test('an event begins a chain of its own', () => {
    expect(place({ id: 'e', depth: 0 })).toEqual({ depth: 0, root: 'e', path: [] });
  });

  test('its reporter is believed', () => {
    expect(place({ depth: 1, lineage: { root: 'r', parent: 'p' } })).toEqual({
      depth: 1,
      root: 'r',
      parent: 'p',
      path: [],
    });
  });
});

describe('a token', () => {
  const lineage = { depth: 2, root: 'r', parent: 'p', path: ['one', 'two'] };

  test('decides, whatever else an event says of its chain', () => {
    const lied = { depth: 0, lineage: { root: 'other', parent: 'other', token: 't' } };

    expect(place(lied, { lineage })).toEqual({ depth: 2, root: 'r', parent: 'p', path: ['one', 'two'] });
  });

  test('does not make an event less deep than it says itself', () => {
    expect(place({ depth: 5 }, { lineage }).depth).toBe(5);
  });

  test('goes before what is known of an agent that is no deeper', () => {
    const agents = known({ ids: ['a'], depth: 2, root: 'other' });

    expect(place({ agent: 'a' }, { lineage, agents })).toMatchObject({ depth: 2, root: 'r' });
  });

  test('of an agent further up makes one that was started deeper no less deep', () => {
    const agents = known({ ids: ['a'], depth: 3, root: 'deeper' });

    expect(place({ agent: 'a' }, { lineage, agents })).toMatchObject({ depth: 3, root: 'deeper' });
  });

  test.each([
    [0, 3],
    [7, 7],
  ])('that is not believed puts an event of depth %d at depth %d', (depth, at) => {
    const refused: ProvenLineage = { refused: 'its lineage token is forged' };

    expect(place({ id: 'e', depth }, { lineage: refused })).toMatchObject({
      depth: at,
      doubt: 'its lineage token is forged',
    });
  });

  test('that is not believed is no way around what is known of the agent', () => {
    const agents = known({ ids: ['a'], depth: 1 });

    expect(place({ agent: 'a' }, { lineage: { refused: 'why' }, agents }).depth).toBe(3);
  });
});

describe('an agent that is known', () => {
  test.each<[string, Partial<MeshEvent>]>([
    ['by the name that reports', { agent: 'id-1' }],
    ['by its session', { session: 'id-1' }],
    ['by agent_id in the payload', { payload: { agent_id: 'id-1' } }],
    ['by agentId in the payload', { payload: { agentId: 'id-1' } }],
  ])('%s gives the event its place', (_how, event) => {
    const agents = known({ ids: ['id-1'], depth: 1, root: 'r', path: ['one'], remediation: 'remediation/t/one/r' });

    expect(place({ depth: 0, ...event }, { agents })).toEqual({
      depth: 1,
      root: 'r',
      parent: 'remediation/t/one/r',
      path: ['one'],
    });
  });

  test('does not make an event less deep than it says itself', () => {
    expect(place({ depth: 2, agent: 'a' }, { agents: known({ ids: ['a'], depth: 1 }) }).depth).toBe(2);
  });

  test('of two, the deeper one counts', () => {
    const agents = known({ ids: ['a'], depth: 1 }, { ids: ['s'], depth: 2, root: 'deep' });

    expect(place({ agent: 'a', session: 's' }, { agents })).toMatchObject({ depth: 2, root: 'deep' });
  });

  test('of another chain does not give its place to who only has its name, and proves another by a token', () => {
    const lineage = { depth: 1, root: 'mine', parent: 'p', path: ['one'] };
    const agents = known({ ids: ['s-1', 'worker-1'], depth: 2, root: 'other' });

    expect(place({ agent: 'worker-1' }, { lineage, agents })).toEqual(lineage);
    expect(place({ agent: 'worker-1', session: 's-1' }, { lineage, agents })).toMatchObject({
      depth: 2,
      root: 'other',
    });
  });

  test('of another chain does not give its place to who has its name, and works in a session that is known', () => {
    const agents = known(
      { ids: ['s-1', 'worker-1'], depth: 2, root: 'other' },
      { ids: ['s-2'], depth: 1, root: 'mine' },
    );

    expect(place({ agent: 'worker-1', session: 's-2' }, { agents })).toMatchObject({ depth: 1, root: 'mine' });
    expect(place({ agent: 'worker-1', session: 's-9' }, { agents })).toMatchObject({ depth: 2, root: 'other' });
  });

  test('of the same chain does, since one may work inside the session of another', () => {
    const agents = known({ ids: ['s-1', 'worker-1'], depth: 2, root: 'r' }, { ids: ['s-2'], depth: 1, root: 'r' });

    expect(place({ agent: 'worker-1', session: 's-2' }, { agents })).toMatchObject({ depth: 2 });
  });

  test('as a workflow is known by its id, which nobody else has', () => {
    const id = 'remediation/t/r/e/agent';
    const agents = known({ ids: ['s-1', id], depth: 2, root: 'other', remediation: 'remediation/t/r/e' });
    const lineage = { depth: 1, root: 'mine', parent: 'p', path: ['one'] };

    expect(place({ agent: id }, { lineage, agents })).toMatchObject({ depth: 2, root: 'other' });
  });

  test('is forgotten at the instant its time is over', () => {
    const agents = known({ ids: ['a'], depth: 1, untilAt: NOW + 5 });

    expect([NOW + 4, NOW + 5].map((now) => place({ agent: 'a' }, { agents, now }).depth)).toEqual([1, 0]);
  });

  test('is not found by what is no text', () => {
    const agents = known({ ids: ['7'], depth: 1 });

    expect(place({ payload: { agent_id: 7 } }, { agents }).depth).toBe(0);
  });
});

function place(
  event: Partial<MeshEvent>,
  { lineage, agents = new Map(), now = NOW }: { lineage?: ProvenLineage; agents?: KnownAgents; now?: number } = {},
) {
  return placeEvent(anEvent(event), { lineage, agents, maxChainDepth: 3, now });
}

function known(...some: Partial<AnnouncedAgent>[]): KnownAgents {
  const agents: KnownAgents = new Map();
  for (const agent of some) {
    const given = { ids: [], depth: 1, root: 'r', path: [], remediation: 'r', action: 'a', isAwaited: false };
    noteAgent(agents, { ...given, untilAt: NOW + 1_000, ...agent }, NOW);
  }
  return agents;
}
