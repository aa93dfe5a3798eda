import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MeshEvent } from '#contract/event.js';
import type { Ruleset } from '#contract/ruleset.js';
import { SKIP_CODES } from '#contract/verdict.js';
import type { Verdict } from '#contract/views/verdicts.js';
import { judgeAtDoor, judgeMatched } from '#rules/guards/judge.js';
import { learn } from '#rules/guards/learn.js';
import { emptyMemory, type GuardMemory, pruneExpired, rearm } from '#rules/guards/memory.js';
import { hasSeen, markSeen } from '#rules/guards/seen.js';
import { matchBatch } from '#rules/match-batch.js';
import { checkRuleset } from '#rules/parse-ruleset.js';
import { simulate } from '#rules/simulate.js';
import { createLedgers, loadLedgers, type SavedLedgers, saveLedgers } from '#workflows/watch/ledgers/index.js';
import {
  type ModelEvent,
  type ModelPath,
  type ModelRule,
  type ModelRuleset,
  ReferenceModel,
} from './reference-model.js';

function judgeAsTheModel(some: typeof rulesets, { maxLength, numRuns }: { maxLength: number; numRuns: number }): void {
  fc.assert(
    fc.property(some, fc.array(reports, { maxLength }), (ruleset, sequence) => {
      const model = new ReferenceModel();
      const timed = withTimes(sequence);

      const verdicts = simulate(
        { ruleset: written(ruleset), hash: 'model', source: 'model', problems: [] },
        timed.map(({ now, event }) => ({ atMs: now, event: meshEvent(event, now) })),
      );

      expect(verdicts.map(comparable)).toEqual(timed.map(({ now, event }) => model.judge(ruleset, event, now)));
    }),
    { numRuns },
  );
}

describe('guards', () => {
  test('say what an independent model says, over any sequence of events', () => {
    judgeAsTheModel(rulesets, { maxLength: 40, numRuns: 400 });
  });

  test('say what the model says of events that more rules match than may fire, or may be judged', () => {
    judgeAsTheModel(crowds, { maxLength: 8, numRuns: 50 });
  });

  test('say so too when re-arming, pruning, restarts and edits of the rules come in between', () => {
    const steps = fc.oneof(
      { weight: 8, arbitrary: reports.map((report) => ({ kind: 'report' as const, report })) },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('rearm' as const),
          rule: fc.option(fc.constantFrom(...RULE_IDS), { nil: undefined }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('prune' as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('edit' as const), ruleset: rulesets }) },
    );
    fc.assert(
      fc.property(rulesets, fc.array(steps, { maxLength: 60 }), (first, sequence) => {
        const model = new ReferenceModel();
        let memory = emptyMemory();
        let ruleset = first;
        let now = START;

        for (const step of sequence) {
          if (step.kind === 'rearm') {
            rearm(memory, step.rule);
            model.rearm(step.rule);
          } else if (step.kind === 'prune') pruneExpired(memory, now);
          else if (step.kind === 'restart') memory = throughJson(memory);
          else if (step.kind === 'edit') ruleset = step.ruleset;
          else {
            now += step.report.gapMs;
            const verdicts = judge(memory, written(ruleset), meshEvent(step.report.event, now), now);
            expect(comparable(verdicts)).toEqual(model.judge(ruleset, step.report.event, now));
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  test('are met at every code by the sequences used here, so that agreeing means something', () => {
    const runs = [
      ...fc.sample(fc.tuple(rulesets, fc.array(reports, { minLength: 20, maxLength: 40 })), { numRuns: 300, seed: 1 }),
      ...fc.sample(fc.tuple(crowds, fc.array(reports, { minLength: 8, maxLength: 8 })), { numRuns: 50, seed: 1 }),
    ];

    const said = runs.flatMap(([ruleset, sequence]) => {
      const model = new ReferenceModel();
      return withTimes(sequence).flatMap(({ now, event }) => model.judge(ruleset, event, now));
    });

    const codes = new Set(said.map((verdict) => (verdict.verdict === 'fire' ? 'fire' : verdict.code)));
    const unmet = ['paused', 'error'];
    const limits = said.flatMap((one) => (one.verdict === 'skip' && one.code === 'rule-limit' ? [one.reason] : []));
    expect(limits.some((reason) => reason.startsWith('50 rules fired'))).toBe(true);
    expect(limits.some((reason) => reason.includes('as many as have 1000 actions'))).toBe(true);
    expect([...codes].sort()).toEqual(
      ['fire', ...Object.keys(SKIP_CODES).filter((code) => !unmet.includes(code))].sort(),
    );
  });

  test('give the same verdicts whether expired windows are pruned before every event or never', () => {
    fc.assert(
      fc.property(rulesets, fc.array(reports, { maxLength: 40 }), (ruleset, sequence) => {
        const pruned = emptyMemory();
        const kept = emptyMemory();
        const rules = written(ruleset);

        for (const { now, event } of withTimes(sequence)) {
          pruneExpired(pruned, now);
          expect(judge(pruned, rules, meshEvent(event, now), now)).toEqual(
            judge(kept, rules, meshEvent(event, now), now),
          );
        }
      }),
      { numRuns: 200 },
    );
  });

  test('give the same verdicts when their state goes through JSON before every event', () => {
    fc.assert(
      fc.property(rulesets, fc.array(reports, { maxLength: 30 }), (ruleset, sequence) => {
        let carried = emptyMemory();
        const kept = emptyMemory();
        const rules = written(ruleset);

        for (const { now, event } of withTimes(sequence)) {
          carried = throughJson(carried);
          expect(judge(carried, rules, meshEvent(event, now), now)).toEqual(
            judge(kept, rules, meshEvent(event, now), now),
          );
        }
        expect(throughJson(carried)).toEqual(kept);
      }),
      { numRuns: 200 },
    );
  });
});

const START = 1_000_000;
const RULE_IDS = ['one', 'two', 'three'] as const;
const PATHS: Record<ModelPath, string> = { session: 'session', tool: 'payload.tool_name', error: 'payload.error' };

// Windows and gaps come from the same few numbers, so that events meet the very edges of windows often.
const windowsMs = fc.constantFrom(0, 1, 50, 100, 250);
const gapsMs = fc.constantFrom(0, 0, 1, 49, 50, 51, 100, 249, 9_999);
const depths = fc.constantFrom(0, 0, 0, 1, 2, 3);
const paths = fc.constantFrom<ModelPath>('session', 'tool', 'error');

const actions = fc
  .array(fc.record({ enabled: fc.boolean(), dedupWindowMs: windowsMs, spawns: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((some) => some.map((action, index) => ({ ...action, name: `action-${index}` })));

const rules = (id: string): fc.Arbitrary<ModelRule> =>
  fc.record(
    {
      id: fc.constant(id),
      event: fc.constantFrom('Stop', 'PostToolUseFailure'),
      outcome: fc.constantFrom('failed', 'timeout'),
      tool: fc.constantFrom('Bash', 'Edit'),
      mode: fc.constantFrom<ModelRule['mode']>('enforce', 'enforce', 'enforce', 'shadow', 'off'),
      enabled: fc.constantFrom(true, true, true, false),
      maxDepth: fc.constantFrom(0, 1, 2, 10),
      cooldownMs: windowsMs,
      cooldownBy: paths,
      dedupBy: paths,
      actions,
    },
    { requiredKeys: ['id', 'event', 'mode', 'enabled', 'cooldownMs', 'actions'] },
  );

const rulesets: fc.Arbitrary<ModelRuleset> = fc.record(
  {
    enabled: fc.constantFrom(true, true, true, true, false),
    maxChainDepth: fc.constantFrom(1, 2, 3, 10),
    maxDescendants: fc.constantFrom(1, 4, 20),
    maxEventAgeMs: fc.constantFrom(10, 100),
    rules: fc
      .tuple(...RULE_IDS.map(rules))
      .chain((all) => fc.subarray(all))
      .chain((some) => fc.shuffledSubarray(some, { minLength: some.length })),
  },
  { requiredKeys: ['enabled', 'maxChainDepth', 'maxDescendants', 'rules'] },
);

/** Rules for the same event, most of them ready to fire: about as many as may. */
const crowds: fc.Arbitrary<ModelRuleset> = fc
  .record({
    length: fc.constantFrom(49, 50, 51, 52, 60),
    mode: fc.constantFrom<ModelRule['mode']>('enforce', 'enforce', 'shadow'),
    odd: fc.array(fc.nat({ max: 59 }), { maxLength: 12 }),
    cooldownMs: windowsMs,
    actionsOfEach: fc.constantFrom(1, 2, 20),
    spawns: fc.boolean(),
  })
  .map(({ length, mode, odd, cooldownMs, actionsOfEach, spawns }) => ({
    enabled: true,
    maxChainDepth: 10,
    maxDescendants: 20,
    rules: Array.from({ length }, (_, index): ModelRule => ({
      id: `rule-${index}`,
      event: 'Stop',
      // What a guard keeps quiet, or is on trial, takes the place of none.
      mode: odd.includes(index) ? 'shadow' : mode,
      enabled: true,
      cooldownMs: odd.includes(index - 1) ? 250 : cooldownMs,
      actions: Array.from({ length: actionsOfEach }, (_action, place) => ({
        name: `action-${place}`,
        enabled: !odd.includes(index - 2),
        dedupWindowMs: 0,
        spawns: spawns && place === 0,
      })),
    })),
  }));

const reports = fc.record({
  gapMs: gapsMs,
  event: fc.record(
    {
      id: fc.nat({ max: 60 }).map((n) => `event-${n}`),
      event: fc.constantFrom('Stop', 'PostToolUseFailure'),
      outcome: fc.constantFrom('failed', 'timeout'),
      session: fc.constantFrom('s1', 's2'),
      root: fc.constantFrom('root-1', 'root-2'),
      depth: depths,
      ageMs: fc.constantFrom(0, 0, 10, 11, 100, 101),
      tool: fc.constantFrom('Bash', 'Edit'),
      error: fc.constantFrom('refused', 'timed out'),
    },
    { requiredKeys: ['id', 'event', 'outcome', 'depth', 'ageMs', 'tool', 'error'] },
  ),
});

function withTimes(sequence: { gapMs: number; event: ModelEvent }[]): { now: number; event: ModelEvent }[] {
  let now = START;
  return sequence.map(({ gapMs, event }) => {
    now += gapMs;
    return { now, event };
  });
}

/** As a person would write it: action and rule windows given, the rest by default. */
function written({ rules: some, ...file }: ModelRuleset): Ruleset {
  const checked = checkRuleset({
    ...file,
    rules: some.map(({ event, outcome, tool, cooldownBy, dedupBy, actions: ofRule, ...rule }) => ({
      ...rule,
      trigger: { event, ...(outcome && { outcome }) },
      ...(tool && { condition: { toolNames: [tool] } }),
      ...(cooldownBy && { cooldownBy: [PATHS[cooldownBy]] }),
      ...(dedupBy && { dedupBy: [PATHS[dedupBy]] }),
      actions: ofRule.map(({ name, spawns, ...action }) => ({
        type: spawns ? 'spawn_fallback_agent' : 'notify_team',
        id: name,
        ...action,
      })),
    })),
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.ruleset;
}

/** The payload carries what must not count: a fresh tool_use_id every time, and keys in an order that changes. */
function meshEvent(
  { id, event, outcome, session, root, depth, ageMs, tool, error }: ModelEvent,
  now: number,
): MeshEvent {
  const entries = Object.entries({ tool_name: tool, error, tool_use_id: `use-${now}-${id}` });
  const payload = Object.fromEntries(now % 2 === 0 ? entries : entries.reverse());
  return {
    id,
    event,
    outcome: outcome as MeshEvent['outcome'],
    tenant: 'default',
    depth,
    occurredAt: now - ageMs,
    ...(session !== undefined && { session }),
    ...(root !== undefined && { lineage: { root } }),
    payload,
  };
}

/** What the watch does with one event. */
function judge(memory: GuardMemory, ruleset: Ruleset, event: MeshEvent, now: number): Verdict[] {
  const refused = judgeAtDoor(hasSeen(memory, event.id));
  if (refused) return [refused];
  markSeen(memory, event.id);
  const batch = matchBatch({ ruleset, hash: 'model', source: 'model', problems: [] }, [event]);
  const [matched = { error: 'not matched' }] = batch.events;
  const { verdicts, learnt } = judgeMatched(memory, event, batch.ruleset, matched, now);
  if (learnt) learn(memory, learnt, now);
  return verdicts;
}

function throughJson(memory: GuardMemory): GuardMemory {
  const ledgers = createLedgers('default', START, memory);
  const saved = JSON.parse(JSON.stringify(saveLedgers(ledgers, Infinity, START))) as SavedLedgers;
  return loadLedgers('default', saved, START).guards;
}

function comparable(verdicts: Verdict[]): Verdict[] {
  return verdicts.map((verdict) =>
    verdict.verdict === 'skip' && verdict.code === 'no-match' ? { ...verdict, reason: '' } : verdict,
  );
}
