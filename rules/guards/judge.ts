// The one ordered list of judging. The order and the moment a guard arms are semantics: see docs/rules.md.

import type { MeshEvent } from '../../contract/event.js';
import type { ActionFacts, EventMatches, RuleFacts, RuleMatch, RulesetFacts } from '../../contract/matched.js';
import type { SkipCode, Verdict } from '../../contract/verdict.js';
import { type GuardMemory, remainingMs } from './memory.js';
import { hasSeen } from './seen.js';

type JudgedEvent = Pick<MeshEvent, 'id' | 'depth' | 'occurredAt'>;
type Skip = Extract<Verdict, { verdict: 'skip' }>;

/** What refuses an event before its rules are even looked up. */
export function judgeAtDoor(
  memory: GuardMemory,
  event: Pick<JudgedEvent, 'id'>,
  pause?: { reason?: string },
): Skip | undefined {
  if (hasSeen(memory, event.id)) return skip('duplicate', 'event id already seen');
  if (pause) return skip('paused', pause.reason ? `tenant is paused: ${pause.reason}` : 'tenant is paused');
  return undefined;
}

/** For an event that cannot be judged at all: still a verdict, with its reason. */
export function judgedError(reason: string): Skip {
  return skip('error', reason);
}

/** Judges one event that passed the door against the rules it matched, and arms the guards of what fires. */
export function judgeMatched(
  memory: GuardMemory,
  event: JudgedEvent,
  ruleset: RulesetFacts,
  matched: EventMatches,
  now: number,
): Verdict[] {
  if ('error' in matched) return [skip('error', matched.error)];
  const refusal = judgeEvent(event, ruleset, matched, now);
  if (refusal) return [refusal];
  return matched.matches.flatMap((match) => judgeRule(memory, event, factsOf(ruleset, match.rule), match, now));
}

/** Needs no memory and refuses most, so it comes first; a stale event is not worth a word about depth. */
function judgeEvent(
  event: JudgedEvent,
  ruleset: RulesetFacts,
  matched: { matches: RuleMatch[]; missed: string },
  now: number,
): Skip | undefined {
  const ageMs = now - event.occurredAt;
  if (ruleset.maxEventAgeMs !== undefined && ageMs > ruleset.maxEventAgeMs) {
    return skip('stale', `event is ${ageMs}ms old, maxEventAgeMs is ${ruleset.maxEventAgeMs}`);
  }
  if (!ruleset.enabled) return skip('disabled', 'ruleset disabled');
  if (event.depth >= ruleset.maxChainDepth) {
    return skip('max-depth', `max chain depth reached (${event.depth}/${ruleset.maxChainDepth})`);
  }
  if (matched.matches.length === 0) return skip('no-match', matched.missed);
  return undefined;
}

function judgeRule(memory: GuardMemory, event: JudgedEvent, rule: RuleFacts, match: RuleMatch, now: number): Verdict[] {
  const everyAction = (code: SkipCode, reason: string) =>
    rule.actions.map((action) => skip(code, reason, rule.id, action.name));

  // Depth before cooldown: a too-deep event says so even while the rule cools down.
  if (rule.maxDepth !== undefined && event.depth >= rule.maxDepth) {
    return everyAction('rule-depth', `rule maxDepth reached (${event.depth}/${rule.maxDepth})`);
  }
  const coolingMs = remainingMs(memory.cooldowns.get(match.cooldownKey), now);
  if (coolingMs > 0) return everyAction('cooldown', `rule cooldown active for ${coolingMs}ms`);

  const judged = rule.actions.map((action, index) =>
    judgeAction(memory, rule, action, match.dedupKeys[index] ?? '', now),
  );
  // Only a firing arms the cooldown: a rule whose every action was disabled or a repeat has done nothing to cool down from.
  if (judged.some(({ armed }) => armed) && rule.cooldownMs > 0) {
    memory.cooldowns.set(match.cooldownKey, {
      rule: rule.id,
      untilAt: now + rule.cooldownMs,
      ...(match.cooldownLabel !== undefined && { label: match.cooldownLabel }),
    });
  }
  return judged.map(({ verdict }) => verdict);
}

function judgeAction(
  memory: GuardMemory,
  rule: RuleFacts,
  action: ActionFacts,
  dedupKey: string,
  now: number,
): { verdict: Verdict; armed: boolean } {
  const refuse = (code: SkipCode, reason: string) => ({
    verdict: skip(code, reason, rule.id, action.name),
    armed: false,
  });
  if (!action.enabled) return refuse('disabled', 'action disabled');
  const repeatMs = remainingMs(memory.dedups.get(dedupKey), now);
  if (repeatMs > 0) return refuse('dedup', `dedup window active for ${repeatMs}ms`);

  // Armed before anything runs, and never released by a failure: retries belong to the remediation.
  if (action.dedupWindowMs > 0) {
    memory.dedups.set(dedupKey, { rule: rule.id, action: action.name, untilAt: now + action.dedupWindowMs });
  }
  // Shadow arms all the same, so that a trial shows the true number of firings.
  if (rule.mode === 'shadow') return { ...refuse('shadow', 'shadow mode: would fire'), armed: true };
  return { verdict: { verdict: 'fire', rule: rule.id, action: action.name }, armed: true };
}

function factsOf(ruleset: RulesetFacts, rule: string): RuleFacts {
  const facts = ruleset.rules.find(({ id }) => id === rule);
  if (!facts) throw new Error(`rule ${rule} matched but is not among the facts of its ruleset`);
  return facts;
}

function skip(code: SkipCode, reason: string, rule?: string, action?: string): Skip {
  return {
    ...(rule !== undefined && { rule }),
    ...(action !== undefined && { action }),
    verdict: 'skip',
    code,
    reason,
  };
}
