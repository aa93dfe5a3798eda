import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { MAX_NESTING, MAX_PAYLOAD_BYTES } from '#client/prepare-payload.js';
import { MAX_DEPTH, MeshEvent } from '#contract/event.js';
import { Action, ACTION_TYPES, type ActionType } from '#contract/actions/index.js';
import { ofEveryAction } from '#contract/actions/of-every-action.js';
import { Condition, MODES, Rule, Ruleset, Trigger } from '#contract/ruleset.js';
import { TEMPLATE_NAMES } from '#contract/text/template-text.js';
import { SKIP_CODES } from '#contract/verdict.js';
import type { Verdict } from '#contract/views/verdicts.js';
import { judgeAtDoor, judgedError, judgeMatched } from '#rules/guards/judge.js';
import { learn } from '#rules/guards/learn.js';
import { emptyMemory } from '#rules/guards/memory.js';
import { KNOWN_EVENTS } from '#rules/known-events.js';
import { matchBatch } from '#rules/match-batch.js';
import { parseRuleset } from '#rules/parse-ruleset.js';
import { CANONICAL } from '#contract/facts.js';
import { codesBelow, codesIn, tableBelow } from './markdown.js';
import { fieldsOf } from './schema-fields.js';

const PAGE = 'docs/rules.md';
const OF_EVERY_ACTION = ['type', ...Object.keys(ofEveryAction)];

describe('docs/rules.md lists the fields of', () => {
  it.each([
    ['File', Ruleset],
    ['Rule', Rule],
    ['Trigger', Trigger],
    ['Condition', Condition],
    ['retry', actionShape('notify_team').retry.unwrap()],
  ])('%s, with defaults and limits', (heading, schema) => {
    expectSameFields(heading, fieldsOf(schema));
  });

  it('every action, with defaults and limits', () => {
    const fields = fieldsOf(actionOf('notify_team')).filter(({ path }) => OF_EVERY_ACTION.includes(path));

    expectSameFields('Action', fields);
  });

  it('an event', () => {
    // Facts are made of the payload by the door, in the dialect that the reporter names.
    const fields = Object.keys(MeshEvent.shape).map((name) => (name === 'facts' ? 'dialect' : name));
    expect(codesBelow(PAGE, 'Events', 'field')).toEqual(fields);

    const limits = tableBelow(PAGE, 'Events').map((row) => row['limits']);
    expect(limits).toContain(`0 to ${MAX_DEPTH}`);
    const payload = `${MAX_PAYLOAD_BYTES.toLocaleString('en-US')} bytes of JSON, at most ${MAX_NESTING} levels deep`;
    expect(limits.at(-1)).toContain(payload);
  });
});

describe('docs/rules.md lists', () => {
  it('the types of actions', () => {
    expect(codesBelow(PAGE, 'Types of actions', 'type')).toEqual([...ACTION_TYPES]);
  });

  it('the template names', () => {
    expect(codesBelow(PAGE, 'Templates', 'name')).toEqual([...TEMPLATE_NAMES]);
  });

  it('the modes', () => {
    expect(codesBelow(PAGE, 'Modes', 'mode')).toEqual([...MODES]);
  });

  it('the volatile fields', () => {
    expect(codesBelow(PAGE, 'Fingerprint', 'volatile field')).toEqual([...CANONICAL.volatile]);
  });

  it('the keys that conditions and templates read', () => {
    const rows = tableBelow(PAGE, 'Condition', 1).map((row) => [
      codesIn(row['what'])[0],
      codesIn(row['keys, in this order']),
    ]);

    expect(Object.fromEntries(rows)).toEqual(CANONICAL.keys);
  });

  it('the known event names', () => {
    expect(codesBelow(PAGE, 'Events', 'known event names', 1).sort()).toEqual([...KNOWN_EVENTS].sort());
  });

  it('the skip codes, and no others', () => {
    expect(tableBelow(PAGE, 'Codes and reasons').flatMap((row) => codesIn(row['code']))).toEqual(
      Object.keys(SKIP_CODES),
    );
  });

  it('each reason word for word', () => {
    const reasonColumn = 'reason, word for word';
    const patterns = new Map(
      tableBelow(PAGE, 'Codes and reasons').map((row) => [
        codesIn(row['code'])[0],
        codesIn(row[reasonColumn]).map(asPattern),
      ]),
    );

    const reasons = realSkips();

    expect(new Set(reasons.map(({ code }) => code))).toEqual(new Set(Object.keys(SKIP_CODES)));
    for (const { code, reason } of reasons) {
      expect(
        patterns.get(code)?.some((pattern) => pattern.test(reason)),
        `${code}: ${reason}`,
      ).toBe(true);
    }
  });
});

function actionOf(type: ActionType): z.ZodType {
  const found = Action.options.find((option) => option.shape.type.value === type);
  if (!found) throw new Error(`no action ${type}`);
  return found;
}

function actionShape(type: ActionType): (typeof Action.options)[number]['shape'] {
  return (actionOf(type) as (typeof Action.options)[number]).shape;
}

function expectSameFields(heading: string, fields: ReturnType<typeof fieldsOf>): void {
  const rows = new Map(tableBelow(PAGE, heading).map((row) => [codesIn(row['field'])[0], row]));

  expect([...rows.keys()].sort()).toEqual(fields.map(({ path }) => path).sort());
  for (const field of fields) {
    const row = rows.get(field.path);
    const shown = row?.['default']?.replaceAll('`', '');
    if (field.isRequired) expect(shown, field.path).toBe('required');
    else expect(shown, field.path).not.toBe('required');
    if (field.default !== undefined) expect(shown, field.path).toBe(field.default);
    if (field.limits !== undefined) expect(row?.['limits'], field.path).toBe(field.limits);
  }
}

/** `<n>` is a number, any other `<word>` some text. */
function asPattern(written: string): RegExp {
  const escaped = written.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('<n>', '\\d+').replace(/<[a-z]+>/g, '.+')}$`, 's');
}

/** Makes the judging code say each of its reasons. */
function realSkips(): Extract<Verdict, { verdict: 'skip' }>[] {
  const action = '{ type: notify_team }';
  const rule = `id: r, trigger: { event: E }, actions: [${action}, { type: notify_team, enabled: false }]`;
  const spawning = `id: r, trigger: { event: E }, cooldownMs: 0, dedupWindowMs: 0, actions: [{ type: spawn_fallback_agent }]`;
  const verdicts = [
    judgeAtDoor(true),
    judgeAtDoor(false, {}),
    judgeAtDoor(false, { reason: 'deploy' }),
    judgedError('could not be judged: a mistake'),
    judgedError('not a valid event: it has no id'),
    ...judge(`{ maxEventAgeMs: 1, rules: [{ ${rule} }] }`, { occurredAt: 0 }),
    ...judge(`{ enabled: false, rules: [{ ${rule} }] }`),
    ...judge(`{ rules: [{ ${rule} }] }`, { depth: 2 }),
    ...judge('{ rules: [] }'),
    ...judge(`{ rules: [{ ${rule} }] }`, { event: 'Other' }),
    ...judge(`{ rules: [{ ${rule}, maxDepth: 1 }] }`, { depth: 1 }),
    ...judge(`{ rules: [{ ${rule} }] }`, {}, 2),
    ...judge(`{ rules: [{ ${rule}, cooldownMs: 0 }] }`, {}, 2),
    ...judge(`{ rules: [{ ${rule}, mode: shadow }] }`),
    ...judge(`{ rules: [{ ${rule} }] }`, { depth: -1 }),
    ...judge(`{ rules: [{ ${rule} }] }`, { lineage: { token: 'mesh1.x.y' } }),
    ...judge(`{ maxDescendants: 1, rules: [{ ${spawning} }] }`, {}, 2),
    ...judge(`{ rules: [{ ${spawning} }] }`, {}, 4),
    ...judge(many(51)),
    ...judge(many(1_001, 'shadow')),
  ];
  return verdicts.filter((verdict) => verdict?.verdict === 'skip');
}

function many(rules: number, mode = 'enforce'): string {
  const written = Array.from(
    { length: rules },
    (_, index) => `{ id: r${index}, trigger: { event: E }, mode: ${mode}, actions: [{ type: notify_team }] }`,
  );
  return `{ rules: [${written.join(', ')}] }`;
}

function judge(rules: string, fields: Partial<MeshEvent> = {}, times = 1): Verdict[] {
  const parsed = parseRuleset(rules, 'test.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const now = 1_000_000;
  const event: MeshEvent = {
    id: 'e-1',
    event: 'E',
    outcome: 'failed',
    tenant: 'default',
    depth: 0,
    occurredAt: now,
    payload: {},
    ...fields,
  };
  const loaded = { ruleset: parsed.ruleset, hash: 'h', source: 'test.yaml', problems: [] };
  const batch = matchBatch(loaded, [event], { lineage: { key: 'k', tenant: 'default', now } });
  const memory = emptyMemory();
  const [matched] = batch.events;
  if (!matched) throw new Error('not matched');
  return Array.from({ length: times }, () => {
    const { verdicts, learnt } = judgeMatched(memory, event, batch.ruleset, matched, now);
    if (learnt) learn(memory, learnt, now);
    return verdicts;
  }).flat();
}
