import { beforeEach, describe, expect, test } from 'vitest';
import type { MeshEvent } from '#contract/event.js';
import type { EventMatches, RuleFacts, RulesetFacts } from '#contract/matched.js';
import { noteAgent } from '#rules/guards/known-agents.js';
import { emptyMemory, type GuardMemory } from '#rules/guards/memory.js';
import type { Judged } from '#workflows/watch/judged.js';
import { judge } from '#workflows/watch/stages/judge.js';
import type { Arrived } from '#workflows/watch/stages/match.js';
import { anEvent } from '#test/support/builders.js';

const NOW = 1_000_000;
const TELLS = { name: 'tell', enabled: true, dedupWindowMs: 0 };
const RULE: RuleFacts = { id: 'r', mode: 'enforce', cooldownMs: 50, tells: true, actions: [TELLS] };
const FOUND = { matches: [{ rule: 'r', cooldownKey: 'c', cooldownLabel: 'l', dedupKeys: ['d'] }], missed: '' };

let memory: GuardMemory;
beforeEach(() => (memory = emptyMemory()));

test('deciding changes no memory, whatever there is to be learnt', () => {
  memory.cooldowns.set('c', { rule: 'r', untilAt: NOW + 9, armedAt: NOW });
  const before = structuredClone(memory);

  const { verdicts, learnt, seenId } = decide({ session: 's' }, {}, { digest: true });

  expect([verdicts[0], seenId]).toMatchObject([{ code: 'cooldown' }, 'event-1']);
  expect(learnt?.suppressed.get('c')).toMatchObject({ events: 1, sessions: ['s'] });
  expect(memory).toEqual(before);
});

describe('an event for which a rule fires', () => {
  test('becomes a remediation with its place in the chain and what is quiet now', () => {
    const { fires } = decide({ session: 's', lineage: { root: 'first', token: 'secret' } });

    expect(fires).toMatchObject([
      {
        rule: 'r',
        actions: ['tell'],
        event: { id: 'event-1', lineage: { root: 'first' } },
        quiet: { cooldownUntilAt: NOW + 50, label: 'l' },
      },
    ]);
    expect(JSON.stringify(fires)).not.toContain('secret');
  });

  test('says which actions a limit of the chain refused', () => {
    const actions = [TELLS, { ...TELLS, name: 'agent', spawns: true }];
    const found = { matches: [{ rule: 'r', cooldownKey: 'c', dedupKeys: ['d', 'e'] }], missed: '' };

    const { fires } = decide({}, { maxDescendants: 0 }, { actions }, found);

    expect(fires).toMatchObject([{ actions: ['tell'], refused: [{ action: 'agent' }] }]);
  });
});

describe('a failure counts for alerts of the rules that met it', () => {
  test.each<[string, Partial<MeshEvent>, Partial<RulesetFacts>, Partial<RuleFacts>]>([
    ['max-depth', { depth: 2 }, { maxChainDepth: 2 }, {}],
    ['rule-depth', { depth: 1 }, {}, { maxDepth: 1 }],
    ['descendants', {}, { maxDescendants: 0 }, { actions: [{ ...TELLS, spawns: true }] }],
  ])('also one that is refused as `%s`', (code, event, ruleset, rule) => {
    const { verdicts, broken } = decide({ session: 's', payload: { tool_name: 'Bash' }, ...event }, ruleset, rule);

    expect(verdicts).toMatchObject([{ code }]);
    expect(broken).toMatchObject({
      tool: 'Bash',
      session: 's',
      rules: new Map([['r', { cooldownKey: 'c', mayOpen: false }]]),
    });
  });

  test.each([
    ['tells a team', true as const, true],
    ['tells nobody', undefined, false],
  ])('a rule that fires and %s may open an alert: %s', (_what, tells, mayOpen) => {
    const { broken } = decide({}, {}, { ...(tells ? { tells } : { tells: undefined as never }) });

    expect(broken?.rules).toEqual(new Map([['r', { cooldownKey: 'c', mayOpen }]]));
  });

  test.each<[string, Partial<MeshEvent>, Partial<RulesetFacts>]>([
    ['stale', { occurredAt: NOW - 9 }, { maxEventAgeMs: 3 }],
    ['disabled', {}, { enabled: false }],
  ])('not one that is refused as `%s`', (code, event, ruleset) => {
    const { verdicts, broken } = decide(event, ruleset);

    expect(verdicts).toMatchObject([{ code }]);
    expect(broken).toBeUndefined();
  });
});

test('a success tells of what it names, and of its chain', () => {
  const event = { outcome: 'success' as const, session: 's', lineage: { root: 'first' } };

  const { works, broken } = decide(event, {}, {}, { matches: [], missed: '', works: { task: 'T-9' } });

  expect(works).toMatchObject({ task: 'T-9', session: 's', root: 'first', by: { eventId: 'event-1' } });
  expect(broken).toBeUndefined();
});

describe('while the tenant is paused', () => {
  test('an end of an agent, a success and a failure count all the same, though no rule is asked', () => {
    const names = { session: 's', payload: { task_id: 't', tool_name: 'Bash' } };
    const end = decidePaused({ event: 'StopFailure', ...names });
    const success = decidePaused({ outcome: 'success', ...names });

    expect(end).toMatchObject({
      seenId: 'event-1',
      ended: { end: { outcome: 'failed' }, ids: ['s'] },
      broken: { rules: 'any' },
    });
    expect(success).toMatchObject({ works: { task: 't', tool: 'Bash', session: 's' } });
    expect([end.verdicts, success.verdicts]).toMatchObject([[{ code: 'paused' }], [{ code: 'paused' }]]);
  });

  test('its chain is known by its agent', () => {
    const agent = { ids: ['s'], depth: 1, root: 'first', path: [], remediation: 'x', action: 'a', isAwaited: false };
    noteAgent(memory.agents, { ...agent, untilAt: NOW + 9 }, NOW);

    expect(decidePaused({ outcome: 'success', session: 's', payload: { task_id: 't' } }).works?.root).toBe('first');
  });

  test.each<[string, object]>([
    ['a session', { session: 5 }],
    ['a payload', { payload: 'x' }],
    ['a time', { occurredAt: 'now' }],
    ['a lineage', { lineage: null }],
  ])('what has no true %s harms nothing', (_what, odd) => {
    const event = { ...anEvent({ outcome: 'success', payload: { tool_name: 'x' } }), ...odd };

    expect(judge(arrived(event, { sinceAt: 1 }), memory, undefined, NOW).verdicts).toMatchObject([{ code: 'paused' }]);
  });
});

describe('a copy in the same batch', () => {
  test('is a duplicate of one that was judged, and shares the answer of one that could not be', () => {
    const first: Arrived = { ...arrived(anEvent({})), found: { error: 'broken' } };
    const copy = (): Judged => judge({ ...arrived(anEvent({})), first }, memory, undefined, NOW);

    expect(copy()).toMatchObject({ verdicts: [{ code: 'error', reason: 'broken' }] });
    expect(copy()).not.toHaveProperty('seenId');
    first.isSeen = true;
    expect(copy()).toMatchObject({ verdicts: [{ code: 'duplicate' }] });
  });
});

test.each<[string, Partial<Arrived>, string]>([
  ['has no id', { id: undefined }, 'not a valid event: it has no id'],
  ['was not matched', {}, 'was not matched'],
  [
    'makes judging fail',
    { found: { ...FOUND, matches: [{ rule: 'gone', cooldownKey: 'c', dedupKeys: [] }] } },
    'could not be judged',
  ],
])('one that %s gets a verdict that says so, and nothing is learnt of it', (_what, how, reason) => {
  const judged = judge({ ...arrived(anEvent({})), ...how }, memory, aRuleset(), NOW);

  expect(judged.verdicts).toMatchObject([{ code: 'error', reason: expect.stringContaining(reason) as string }]);
  expect([judged.seenId, judged.learnt, judged.fires]).toEqual([undefined, undefined, []]);
});

function decide(
  event: Partial<MeshEvent>,
  ruleset: Partial<RulesetFacts> = {},
  rule: Partial<RuleFacts> = {},
  found: EventMatches = FOUND,
): Judged {
  const reported = anEvent({ id: 'event-1', occurredAt: NOW, ...event });
  return judge({ ...arrived(reported), found }, memory, { ...aRuleset(rule), ...ruleset }, NOW);
}

function decidePaused(event: Partial<MeshEvent>): Judged {
  return judge(arrived(anEvent({ id: 'event-1', ...event }), { sinceAt: 1 }), memory, undefined, NOW);
}

function arrived(event: { id: string }, pause?: { sinceAt: number }): Arrived {
  return { item: { kind: 'event', event, ...(pause && { pause }) }, id: event.id, isSeen: false };
}

function aRuleset(rule: Partial<RuleFacts> = {}): RulesetFacts {
  return { hash: 'h', source: 'f', enabled: true, maxChainDepth: 9, problems: [], rules: [{ ...RULE, ...rule }] };
}
