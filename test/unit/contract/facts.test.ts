import { describe, expect, test } from 'vitest';
import { EventFacts, type MeshEvent } from '#contract/event.js';
import { CANONICAL, type FactName, factsOf, MAX_FACT_CHARS, readFacts, type Spelling } from '#contract/facts.js';
import { anEvent } from '#test/support/builders.js';

const NAMES = Object.keys(CANONICAL.keys) as FactName[];

describe('what a payload names', () => {
  test.each(NAMES)('%s: an earlier key wins over a later one', (name) => {
    const keys = CANONICAL.keys[name];
    const payload = Object.fromEntries([...keys].reverse().map((key) => [key, `from ${key}`]));

    expect(factsOf({ payload })[name]).toBe(`from ${keys[0]}`);
  });

  test.each(NAMES)('%s: what is no text, or empty, makes way for the next key', (name) => {
    const [first = '', ...others] = CANONICAL.keys[name];
    const next = Object.fromEntries(others.map((key) => [key, 'next']));

    for (const unusable of ['', 3, null, true, {}, ['x']])
      expect(factsOf({ payload: { [first]: unusable, ...next } })[name]).toBe('next');
  });

  test('nothing when no key holds a text, and nothing inherited', () => {
    expect(factsOf({ payload: Object.create({ error: 'inherited' }) as Record<string, unknown> })).toEqual({});
  });

  test('the ids of an agent, in both spellings', () => {
    expect(factsOf({ payload: { agentId: 'b', agent_id: 'a' } }).agentIds).toEqual(['a', 'b']);
  });

  test('is never longer than the schema of an event takes', () => {
    const long = 'x'.repeat(MAX_FACT_CHARS * 2);
    const keys = [...Object.values(CANONICAL.keys), CANONICAL.agentIds, CANONICAL.output].flat();
    const payload = Object.fromEntries(keys.map((key) => [key, long]));

    expect(EventFacts.safeParse(factsOf(anEvent({ event: 'TaskCompleted', payload }))).success).toBe(true);
  });
});

describe('facts of the door', () => {
  test('are taken as they are, whatever the payload says', () => {
    const facts = { tool: 'Bash', endsAgent: { outcome: 'failed' as const } };

    expect(factsOf(anEvent({ payload: { tool_name: 'Edit' }, facts }))).toBe(facts);
  });

  test.each<[string, unknown]>([
    ['no object', 'Bash'],
    ['nothing', null],
    ['of other kinds', { tool: 3 }],
    ['a list that is none', { agentIds: 'a' }],
    ['an end without an outcome', { endsAgent: {} }],
  ])('are read again where they are %s', (_what, facts) => {
    const event = { payload: { tool_name: 'Edit' }, facts: facts as MeshEvent['facts'] };

    expect(factsOf(event)).toEqual({ tool: 'Edit' });
  });
});

test('a spelling of another runtime leads to the same facts', () => {
  const spelling: Spelling = {
    keys: { ...CANONICAL.keys, tool: ['ToolName'], error: ['Failure'] },
    agentIds: ['AgentID'],
    output: ['Said'],
    volatile: ['EventID'],
    ends: ['agent_gone'],
    failedEnds: [],
    subagentEnds: ['agent_gone'],
  };
  const payload = { ToolName: 'bash', tool_name: 'other', Failure: 'boom', AgentID: 'a', Said: ' done ', EventID: '1' };

  expect(readFacts({ event: 'AgentGone', outcome: 'unknown', payload }, spelling)).toEqual({
    tool: 'bash',
    error: 'boom',
    agentIds: ['a'],
    endsAgent: { outcome: 'success', outputTail: 'done', isSubagent: true },
    volatile: ['EventID'],
  });
});
