import { describe, expect, test } from 'vitest';
import { signLineage } from '#rules/lineage/sign.js';
import { matchBatch } from '#rules/match-batch.js';
import {
  aLoadedRuleset,
  anEvent,
  aRule,
  aRuleset,
  type WrittenAction,
  type WrittenRule,
} from '../../support/builders.js';

describe('matchBatch', () => {
  test('answers for every event, in order', () => {
    const loaded = aLoadedRuleset(aRuleset([aRule({ trigger: { event: 'Stop' } })]));

    const { events } = matchBatch(loaded, [
      anEvent({ id: '1', event: 'Stop' }),
      anEvent({ id: '2' }),
      anEvent({ id: '3', event: 'Stop' }),
    ]);

    expect(events.map((one) => 'matches' in one && one.matches.length)).toEqual([1, 0, 1]);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['a text', 'Stop'],
    ['a list', [anEvent()]],
    ['an event without a name', { ...anEvent(), event: undefined }],
    ['an event with a field too many', { ...anEvent(), extra: 1 }],
    ['an event with an id that is a path', { ...anEvent(), id: '../../x' }],
  ])('%s becomes an error of its own and harms no other', (_, bad) => {
    const { events } = matchBatch(aLoadedRuleset(), [anEvent(), bad, anEvent()]);

    expect(events).toEqual([
      expect.objectContaining({ missed: '' }),
      { error: expect.stringMatching(/^not a valid event: \S/) as string },
      expect.objectContaining({ missed: '' }),
    ]);
  });

  test('an event nested too deep to be read becomes an error of its own', () => {
    const nested = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`) as Record<string, unknown>;

    const { events } = matchBatch(aLoadedRuleset(), [anEvent({ payload: nested }), anEvent()]);

    expect(events).toEqual([
      { error: expect.stringMatching(/^could not be matched: /) as string },
      expect.objectContaining({ missed: '' }),
    ]);
  });

  test('the error about an event is short, however much is wrong with it', () => {
    const bad = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key-${index}`, 'x'.repeat(100)]));

    const { events } = matchBatch(aLoadedRuleset(), [bad]);

    expect('error' in events[0]! && events[0].error.length).toBe(500);
  });

  test('tells the facts of the ruleset, and of the rules that matched only', () => {
    const ruleset = aRuleset([aRule({ id: 'used' }), aRule({ id: 'unused', trigger: { event: 'Stop' } })], {
      enabled: false,
      maxChainDepth: 7,
      maxEventAgeMs: 9,
    });

    const answer = matchBatch({ ruleset, hash: 'h', source: 's', problems: ['p'] }, [anEvent(), anEvent()]);

    expect(answer.ruleset).toEqual({
      hash: 'h',
      source: 's',
      problems: ['p'],
      enabled: false,
      maxChainDepth: 7,
      maxDescendants: 20,
      maxEventAgeMs: 9,
      rules: [expect.objectContaining({ id: 'used' })],
    });
  });

  test('says nothing of an age the file does not limit', () => {
    expect(matchBatch(aLoadedRuleset(), []).ruleset).not.toHaveProperty('maxEventAgeMs');
  });

  test('puts no text of the payload into an answer about an event that matched, since that is kept in history', () => {
    const answer = matchBatch(aLoadedRuleset(), [anEvent({ payload: { error: 'the secret is 42' } })]);

    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  test('answers for the first events only when the answer would grow too large for one record', () => {
    const ruleset = aRuleset(manyRules(50, 20));
    const batch = Array.from({ length: 50 }, (_, index) => anEvent({ id: `e-${index}` }));

    const answer = matchBatch(aLoadedRuleset(ruleset), batch);

    expect(answer.events.length).toBeGreaterThan(0);
    expect(answer.events.length).toBeLessThan(batch.length);
    expect(JSON.stringify(answer).length).toBeLessThan(2_000_000);
  });

  test('counts what it must say of the rules too, where each event meets other ones', () => {
    const rules = Array.from({ length: 400 }, (_, index) =>
      manyRules(1, 20).map((rule) => ({ ...rule, id: `rule-${index}`, trigger: { event: `Event${index}` } })),
    ).flat();
    const batch = Array.from({ length: 400 }, (_, index) => anEvent({ id: `e-${index}`, event: `Event${index}` }));

    const answer = matchBatch(aLoadedRuleset(aRuleset(rules)), batch);

    expect(answer.events.length).toBeGreaterThan(100);
    expect(answer.events.length).toBeLessThan(batch.length);
    expect(JSON.stringify(answer).length).toBeLessThan(600_000);
  });

  test('answers for one event of as many rules as there may be, with ids as long as they may be, in one record', () => {
    const rules = manyRules(2_000, 1).map((rule, index) => ({ ...rule, id: `${index}-`.padEnd(570, 'x') }));

    const answer = matchBatch(aLoadedRuleset(aRuleset(rules)), [anEvent({ id: 'a' }), anEvent({ id: 'b' })]);

    expect(answer.events).toEqual([expect.objectContaining({ left: 1_000 })]);
    expect(answer.ruleset.rules).toHaveLength(1_000);
    expect(JSON.stringify(answer).length).toBeLessThan(2_000_000);
  });

  test.each([
    ['1,000 rules with one action', 1_000, 1, 1_000, undefined],
    ['one more than that', 1_001, 1, 1_000, 1],
    ['50 rules with 20 actions', 50, 20, 50, undefined],
    ['60 rules with 20 actions', 60, 20, 50, 10],
    ['rules with 19 actions, of which none is judged in part', 53, 19, 52, 1],
  ])('has an event judged by as many rules as have 1,000 actions: %s', (_, rules, actions, judged, left) => {
    const [matched] = matchBatch(aLoadedRuleset(aRuleset(manyRules(rules, actions))), [anEvent()]).events;

    expect(matched && 'matches' in matched && [matched.matches.length, matched.left]).toEqual([judged, left]);
  });
});

function manyRules(count: number, actionsOfEach: number): WrittenRule[] {
  const actions = Array.from({ length: actionsOfEach }, (): WrittenAction => ({ type: 'notify_team' }));
  return Array.from({ length: count }, (_, index) => aRule({ id: `rule-${index}`, actions }));
}

describe('what an event tells besides what rules look at:', () => {
  const key = 'k'.repeat(32);
  const lineage = { key, tenant: 'default', now: 1_000 };
  const claims = { root: 'r', depth: 1, path: ['one'], tenant: 'default', parent: 'p', expiresAt: 2_000 };

  test('what its lineage token proves', () => {
    const event = anEvent({ lineage: { token: signLineage(claims, key) } });

    expect(matchBatch(aLoadedRuleset(), [event], { lineage }).events).toMatchObject([
      { lineage: { root: 'r', depth: 1, path: ['one'], parent: 'p' } },
    ]);
  });

  test.each([
    ['forged', { ...claims }, 'x'.repeat(32)],
    ['of another tenant', { ...claims, tenant: 'acme' }, key],
    ['expired', { ...claims, expiresAt: 1_000 }, key],
  ])('that its token is %s', (why, signed, signedWith) => {
    const event = anEvent({ lineage: { token: signLineage(signed, signedWith) } });

    expect(matchBatch(aLoadedRuleset(), [event], { lineage }).events).toMatchObject([
      { lineage: { refused: expect.stringContaining(why) } },
    ]);
  });

  test('nothing of a token where nobody can check it', () => {
    const [matched] = matchBatch(aLoadedRuleset(), [anEvent({ lineage: { token: 'mesh1.x.y' } })]).events;

    expect(matched).not.toHaveProperty('lineage');
  });

  test('that its agent has ended, and what that said, without secrets', () => {
    const event = anEvent({ event: 'TaskCompleted', outcome: 'failed', payload: { output: 'pin 1234' } });
    const redact = (text: string) => text.replace(/\d+/, '[redacted]');

    expect(matchBatch(aLoadedRuleset(), [event], { redact }).events).toMatchObject([
      { agentEnd: { outcome: 'failed', outputTail: 'pin [redacted]' } },
    ]);
  });

  test.each([
    ['task and tool', 'success', { task_id: 't', toolName: 'Bash' }, { task: 't', tool: 'Bash' }],
    ['a task alone', 'success', { taskId: 't' }, { task: 't' }],
    ['a tool alone', 'success', { tool_name: 'Bash' }, { tool: 'Bash' }],
    ['nothing of what is no name', 'success', { tool_name: 'x'.repeat(201) }, undefined],
    ['nothing without either', 'success', {}, undefined],
    ['nothing unless it is a success', 'unknown', { task_id: 't' }, undefined],
  ] as const)('what works again: %s', (_what, outcome, payload, works) => {
    const [matched] = matchBatch(aLoadedRuleset(), [anEvent({ outcome, payload })]).events;

    expect(matched && 'works' in matched ? matched.works : undefined).toEqual(works);
  });
});

describe('the facts of a rule', () => {
  const digestOf = (rule: Partial<WrittenRule>, digest = true) =>
    matchBatch(aLoadedRuleset(aRuleset([aRule(rule)])), [anEvent()], { digest }).ruleset.rules[0]?.digest;

  test('name the actions that start an agent', () => {
    const rule = aRule({ actions: [{ type: 'spawn_fallback_agent' }, { type: 'notify_team' }] });

    const { ruleset } = matchBatch(aLoadedRuleset(aRuleset([rule])), [anEvent()]);

    expect(ruleset.rules[0]?.actions.map(({ spawns }) => spawns)).toEqual([true, undefined]);
  });

  test.each<[string, Partial<WrittenRule>, boolean | undefined]>([
    ['a rule that tells a team', {}, true],
    ['none whose notification is switched off', { actions: [{ type: 'notify_team', enabled: false }] }, undefined],
    ['none that tells nobody', { actions: [{ type: 'spawn_fallback_agent' }] }, undefined],
    ['none on trial', { mode: 'shadow' }, undefined],
  ])('ask for a digest of %s', (_what, rule, digest) => {
    expect(digestOf(rule)).toBe(digest);
  });

  test('ask for none where the configuration wants none', () => {
    expect(digestOf({}, false)).toBeUndefined();
  });
});
