import { describe, expect, test } from 'vitest';
import type { RulesetFacts } from '#contract/matched.js';
import type { Verdict } from '#contract/views/verdicts.js';
import { judgeAtDoor, judgedError, judgeMatched } from '#rules/guards/judge.js';
import { noteAgent } from '#rules/guards/known-agents.js';
import { learn } from '#rules/guards/learn.js';
import { emptyMemory } from '#rules/guards/memory.js';

// What `simulate` cannot show: see simulate.test.ts for the order of judging and for what arms.

describe('judgeAtDoor', () => {
  test('lets a new event in', () => {
    expect(judgeAtDoor(false)).toBeUndefined();
  });

  test.each([
    ['with its reason', { reason: 'release' }, 'tenant is paused: release'],
    ['without one', {}, 'tenant is paused'],
  ])('refuses every event of a paused tenant, %s', (_, pause, reason) => {
    expect(judgeAtDoor(false, pause)).toEqual({ verdict: 'skip', code: 'paused', reason });
  });

  test('calls a duplicate a duplicate, paused or not', () => {
    expect(judgeAtDoor(true, { reason: 'release' })).toMatchObject({ code: 'duplicate' });
  });
});

describe('judgedError', () => {
  test('is a verdict about the whole event', () => {
    expect(judgedError('why')).toEqual({ verdict: 'skip', code: 'error', reason: 'why' });
  });
});

describe('judgeMatched', () => {
  const ruleset: RulesetFacts = { hash: 'h', source: 's', enabled: true, maxChainDepth: 2, problems: [], rules: [] };
  const event = { id: 'e', depth: 0, occurredAt: 0 };

  test('says why an event could not be matched, and arms nothing', () => {
    const memory = emptyMemory();

    const verdicts = judgeAndLearn(memory, event, ruleset, { error: 'broken' }, 0);

    expect(verdicts).toEqual([{ verdict: 'skip', code: 'error', reason: 'broken' }]);
    expect(memory).toEqual(emptyMemory());
  });

  test('says what the rules missed on', () => {
    const verdicts = judgeAndLearn(emptyMemory(), event, ruleset, { matches: [], missed: 'no rule matches: x' }, 0);

    expect(verdicts).toEqual([{ verdict: 'skip', code: 'no-match', reason: 'no rule matches: x' }]);
  });

  test('remembers of a window whose it is and until when', () => {
    const memory = emptyMemory();
    const rule = {
      id: 'r',
      mode: 'enforce' as const,
      cooldownMs: 10,
      actions: [{ name: 'a', enabled: true, dedupWindowMs: 20 }],
    };
    const match = { rule: 'r', cooldownKey: 'ck', cooldownLabel: 'session=s1', dedupKeys: ['dk'] };

    judgeAndLearn(memory, event, { ...ruleset, rules: [rule] }, { matches: [match], missed: '' }, 100);

    expect([...memory.cooldowns]).toEqual([['ck', { rule: 'r', untilAt: 110, armedAt: 100, label: 'session=s1' }]]);
    expect([...memory.dedups]).toEqual([['dk', { rule: 'r', action: 'a', untilAt: 120 }]]);
  });

  test('remembers no window of 0', () => {
    const memory = emptyMemory();
    const rule = {
      id: 'r',
      mode: 'enforce' as const,
      cooldownMs: 0,
      actions: [{ name: 'a', enabled: true, dedupWindowMs: 0 }],
    };

    judgeAndLearn(
      memory,
      event,
      { ...ruleset, rules: [rule] },
      { matches: [{ rule: 'r', cooldownKey: 'ck', dedupKeys: ['dk'] }], missed: '' },
      100,
    );

    expect(memory.cooldowns.size + memory.dedups.size).toBe(0);
  });

  test('says why it does not believe a lineage token', () => {
    const matched = { matches: [], missed: '', lineage: { refused: 'its lineage token is of another tenant' } };

    expect(judgeAndLearn(emptyMemory(), event, ruleset, matched, 0)).toEqual([
      {
        verdict: 'skip',
        code: 'max-depth',
        reason: 'max chain depth reached (2/2): its lineage token is of another tenant',
        isDoubted: true,
      },
    ]);
  });

  test('judges by the depth of the agent it knows', () => {
    const memory = emptyMemory();
    const agent = { ids: ['s'], depth: 2, root: 'r', path: [], remediation: 'r', action: 'a', isAwaited: false };
    noteAgent(memory.agents, { ...agent, untilAt: 10 }, 0);

    const verdicts = judgeAndLearn(memory, { ...event, session: 's' }, ruleset, { matches: [], missed: '' }, 0);

    expect(verdicts).toMatchObject([{ code: 'max-depth', reason: 'max chain depth reached (2/2)' }]);
  });

  test('notes what a cooldown keeps quiet, where a digest is wanted', () => {
    const memory = emptyMemory();
    const judge = (id: string, now: number, digest: boolean) =>
      judgeAndLearn(
        memory,
        { ...event, id, session: `s-${id}` },
        { ...ruleset, rules: [{ ...COOLING, digest }] },
        { matches: [{ rule: 'r', cooldownKey: 'ck', dedupKeys: ['dk'] }], missed: '' },
        now,
      );

    judge('fires', 0, true);
    judge('first', 4, true);
    judge('unwanted', 5, false);
    judge('last', 9, true);

    expect(memory.cooldowns.get('ck')?.suppressed).toEqual({
      events: 2,
      firstAt: 4,
      lastAt: 9,
      sessions: ['s-first', 's-last'],
      moreSessions: 0,
    });
    judge('fires again', 10, true);
    expect(memory.ended).toMatchObject([{ rule: 'r', key: 'ck', untilAt: 10, suppressed: { events: 2 } }]);
    expect(memory.cooldowns.get('ck')).toEqual({ rule: 'r', untilAt: 20, armedAt: 10 });
  });

  test.each([
    [{ tells: true as const }, { session: 's-1', task: '7' }],
    [{}, undefined],
  ])('a cooldown knows what the rule fired for where somebody is told of it: %o', (facts, firedFor) => {
    const memory = emptyMemory();
    const matched = { matches: [{ rule: 'r', cooldownKey: 'ck', dedupKeys: ['dk'] }], missed: '' };
    const fired = { ...event, session: 's-1', payload: { task_id: '7' } };

    judgeAndLearn(memory, fired, { ...ruleset, rules: [{ ...COOLING, ...facts }] }, matched, 0);

    expect(memory.cooldowns.get('ck')?.firedFor).toEqual(firedFor);
  });

  test('a cooldown that kept nothing quiet leaves nothing behind', () => {
    const memory = emptyMemory();
    const matched = { matches: [{ rule: 'r', cooldownKey: 'ck', dedupKeys: ['dk'] }], missed: '' };
    for (const now of [0, 10, 20]) {
      judgeAndLearn(
        memory,
        { ...event, id: `e-${now}` },
        { ...ruleset, rules: [{ ...COOLING, digest: true }] },
        matched,
        now,
      );
    }

    expect(memory.ended).toEqual([]);
  });

  test('changes no memory: what is to be learnt is part of the answer', () => {
    const memory = emptyMemory();
    const matched = { matches: [{ rule: 'r', cooldownKey: 'ck', dedupKeys: ['dk'] }], missed: '' };

    const { verdicts, learnt } = judgeMatched(memory, event, { ...ruleset, rules: [COOLING] }, matched, 0);

    expect(memory).toEqual(emptyMemory());
    expect(verdicts).toMatchObject([{ verdict: 'fire' }]);
    expect(learnt?.cooldowns.has('ck')).toBe(true);
  });

  test('throws rather than guesses when the facts of a rule are missing', () => {
    const match = { rule: 'gone', cooldownKey: 'ck', dedupKeys: [] };

    expect(() => judgeAndLearn(emptyMemory(), event, ruleset, { matches: [match], missed: '' }, 0)).toThrow(
      'rule gone matched but is not among the facts',
    );
  });
});

const COOLING = {
  id: 'r',
  mode: 'enforce' as const,
  cooldownMs: 10,
  actions: [{ name: 'a', enabled: true, dedupWindowMs: 0 }],
};

/** As whoever keeps a memory does. */
function judgeAndLearn(...[memory, event, ruleset, matched, now]: Parameters<typeof judgeMatched>): Verdict[] {
  const { verdicts, learnt } = judgeMatched(memory, event, ruleset, matched, now);
  if (learnt) learn(memory, learnt, now);
  return verdicts;
}
