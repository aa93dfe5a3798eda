import type { MeshEvent } from '#contract/event.js';
import type { Rule, Ruleset } from '#contract/ruleset.js';
import type { Verdict } from '#contract/verdict.js';
import { matchEvent, ruleFacts } from '#rules/match.js';
import type { LoadedRuleset } from '#rules/match-batch.js';
import { simulate } from '#rules/simulate.js';

export interface TryJudgement {
  /** Why the rule does not look at the event; absent when it does. Whether it is enabled does not matter here. */
  missed?: string;
  /** What a watch would say that remembers nothing. */
  verdicts: Verdict[];
  guards: TryGuards;
}

/** What may stop the rule another time. */
export interface TryGuards {
  cooldown: { ms: number; label?: string };
  dedups: { action: string; ms: number }[];
  depth: { is: number; max: number };
  /** Agents of one first event; absent for a rule that starts none. */
  maxDescendants?: number;
  maxEventAgeMs?: number;
}

/** Whether the rule looks at the event at all, and what the guards make of it when nothing has happened before. */
export function judgeTry(loaded: LoadedRuleset, rule: Rule, event: MeshEvent, now: number): TryJudgement {
  const { ruleset } = loaded;
  const alone = { ...ruleset, rules: [rule] };
  const inForce: Ruleset = { ...ruleset, rules: [{ ...rule, enabled: true, mode: 'enforce' }] };
  const { matches, misses = [] } = matchEvent(inForce, event);
  const [verdicts = []] = simulate({ ...loaded, ruleset: alone }, [{ atMs: now, event }]);
  const missed = matches.length > 0 ? undefined : (misses[0]?.reason ?? 'the rule does not look at it');
  const label = matches[0]?.cooldownLabel;
  return { ...(missed !== undefined && { missed }), verdicts, guards: guardsOf(rule, ruleset, event, label) };
}

function guardsOf(rule: Rule, ruleset: Ruleset, { depth }: MeshEvent, label: string | undefined): TryGuards {
  const { cooldownMs, actions } = ruleFacts(rule, ruleset);
  const { maxChainDepth, maxDescendants, maxEventAgeMs } = ruleset;
  return {
    cooldown: { ms: cooldownMs, ...(label !== undefined && { label }) },
    dedups: actions
      .filter(({ enabled }) => enabled)
      .map(({ name, dedupWindowMs }) => ({ action: name, ms: dedupWindowMs })),
    depth: { is: depth, max: Math.min(maxChainDepth, rule.maxDepth ?? maxChainDepth) },
    ...(actions.some(({ spawns }) => spawns) && { maxDescendants }),
    ...(maxEventAgeMs !== undefined && { maxEventAgeMs }),
  };
}
