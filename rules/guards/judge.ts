// The one ordered list of judging. The order is semantics: see docs/rules.md.
//
// 1. duplicate, paused                      the event, before its rules are looked up
// 2. stale, disabled, max-depth, no-match   the event
// 3. rule-depth, cooldown                   each rule that matched, in the order of the file
// 4. disabled, dedup, descendants, spawn-rate, shadow   each action of it, in the order of the rule; then it fires
// 5. rule-limit                             once, for all rules that are left when as many have fired as may for one event

import type { MeshEvent } from '#contract/event.js';
import type { ActionFacts, EventMatches, RuleFacts, RuleMatch, RulesetFacts } from '#contract/matched.js';
import { plural } from '#contract/text/words.js';
import { MAX_FIRED_RULES, MAX_JUDGED_ACTIONS } from '#contract/limits.js';
import type { SkipCode } from '#contract/verdict.js';
import type { Verdict } from '#contract/views/verdicts.js';
import { MAX_SPAWNS_IN_WINDOW, recentSpawnsOf, SPAWN_WINDOW_MS, spawnsOf } from './chains.js';
import { firedFor } from './fired-for.js';
import type { Learnt } from './learn.js';
import { type GuardMemory, remainingMs } from './memory.js';
import { type Place, type PlacedEvent, placeEvent } from './place-event.js';
import { noteSuppressed } from './suppressed.js';

type JudgedEvent = PlacedEvent & Pick<MeshEvent, 'occurredAt'>;
type Skip = Extract<Verdict, { verdict: 'skip' }>;
/** What else is known of a skip. */
type Known = Pick<Skip, 'untilAt' | 'isDoubted'>;

/** Deciding changes no memory: what the guards are to remember is part of the decision, for `learn`. */
export interface Decision {
  verdicts: Verdict[];
  learnt?: Learnt;
}

/** One event, and what it is judged by: the memory, and what the event itself adds to it on the way. */
interface Case {
  memory: GuardMemory;
  learnt: Learnt;
  event: JudgedEvent;
  place: Place;
  ruleset: RulesetFacts;
  now: number;
}

/** What refuses an event before its rules are even looked up. */
export function judgeAtDoor(isSeen: boolean, pause?: { reason?: string }): Skip | undefined {
  if (isSeen) return skip('duplicate', 'event id already seen');
  if (pause) return skip('paused', pause.reason ? `tenant is paused: ${pause.reason}` : 'tenant is paused');
  return undefined;
}

/** For an event that cannot be judged at all: still a verdict, with its reason. */
export function judgedError(reason: string): Skip {
  return skip('error', reason);
}

/**
 * Judges one event that passed the door against the rules it matched. `found`: the place of the event, where the caller has
 * found it already.
 */
export function judgeMatched(
  memory: GuardMemory,
  event: JudgedEvent,
  ruleset: RulesetFacts,
  matched: EventMatches,
  now: number,
  found?: Place,
): Decision {
  if ('error' in matched) return { verdicts: [skip('error', matched.error)] };
  const { agents } = memory;
  const { maxChainDepth } = ruleset;
  const place = found ?? placeEvent(event, { agents, lineage: matched.lineage, maxChainDepth, now });
  const { root, depth } = place;
  const chain = { root, depth, remediations: 0, spawns: 0 };
  const learnt: Learnt = { cooldowns: new Map(), dedups: new Map(), suppressed: new Map(), chain };
  const judged: Case = { memory, learnt, event, place, ruleset, now };
  const refusal = judgeEvent(judged, matched);
  if (refusal) return { verdicts: [refusal] };
  return { verdicts: judgeRules(judged, matched), learnt };
}

/** Refuses most, and needs nothing but the place of the event, so it comes first; a stale one is not worth a word about depth. */
function judgeEvent(
  { event, place, ruleset, now }: Case,
  matched: { matches: RuleMatch[]; missed: string },
): Skip | undefined {
  const ageMs = now - event.occurredAt;
  if (ruleset.maxEventAgeMs !== undefined && ageMs > ruleset.maxEventAgeMs) {
    return skip('stale', `event is ${ageMs}ms old, maxEventAgeMs is ${ruleset.maxEventAgeMs}`);
  }
  if (!ruleset.enabled) return skip('disabled', 'ruleset disabled');
  if (place.depth >= ruleset.maxChainDepth) {
    const reached = `max chain depth reached (${place.depth}/${ruleset.maxChainDepth})`;
    if (place.doubt === undefined) return skip('max-depth', reached);
    return skip('max-depth', `${reached}: ${place.doubt}`, { isDoubted: true });
  }
  if (matched.matches.length === 0) return skip('no-match', matched.missed);
  return undefined;
}

/** Rules that a guard keeps quiet, or that are in shadow mode, do not count against the limit of those that fire. */
function judgeRules(judged: Case, { matches, left = 0 }: { matches: RuleMatch[]; left?: number }): Verdict[] {
  const verdicts: Verdict[] = [];
  let [judgedRules, fired] = [0, 0];
  for (const match of matches) {
    if (fired === MAX_FIRED_RULES) break;
    const ofRule = judgeRule(judged, factsOfRule(judged.ruleset, match.rule), match);
    judgedRules += 1;
    if (ofRule.some(({ verdict }) => verdict === 'fire')) fired += 1;
    verdicts.push(...ofRule);
  }
  const notJudged = matches.length + left - judgedRules;
  if (notJudged === 0) return verdicts;
  const why =
    fired === MAX_FIRED_RULES
      ? `${fired} rules fired for this event, the most that one event may fire`
      : `${plural(judgedRules, 'rule')} judged for this event, as many as have ${MAX_JUDGED_ACTIONS} actions`;
  return [...verdicts, skip('rule-limit', `${why}; not judged: ${notJudged} more`)];
}

function judgeRule(judged: Case, rule: RuleFacts, match: RuleMatch): Verdict[] {
  const { memory, learnt, event, place, now } = judged;
  const everyAction = (code: SkipCode, reason: string, more: Known = {}) =>
    rule.actions.map((action) => skip(code, reason, { rule: rule.id, action: action.name, ...more }));

  // Depth before cooldown: a too-deep event says so even while the rule cools down.
  if (rule.maxDepth !== undefined && place.depth >= rule.maxDepth) {
    return everyAction('rule-depth', `rule maxDepth reached (${place.depth}/${rule.maxDepth})`);
  }
  const cooldown = memory.cooldowns.get(match.cooldownKey);
  const coolingMs = remainingMs(cooldown, now);
  if (cooldown && coolingMs > 0) {
    if (rule.digest) learnt.suppressed.set(match.cooldownKey, noteSuppressed(cooldown.suppressed, event, now));
    return everyAction('cooldown', `rule cooldown active for ${coolingMs}ms`, { untilAt: now + coolingMs });
  }
  const answers = rule.actions.map((action, index) => judgeAction(judged, rule, action, match.dedupKeys[index] ?? ''));
  // Only a firing arms the cooldown: a rule whose every action was disabled or a repeat has done nothing to cool down from.
  if (answers.some(({ armed }) => armed) && rule.cooldownMs > 0) armCooldown(judged, rule, match);
  const verdicts = answers.map(({ verdict }) => verdict);
  if (verdicts.some(({ verdict }) => verdict === 'fire')) learnt.chain.remediations += 1;
  return verdicts;
}

function armCooldown({ learnt, event, now }: Case, rule: RuleFacts, match: RuleMatch): void {
  learnt.cooldowns.set(match.cooldownKey, {
    rule: rule.id,
    untilAt: now + rule.cooldownMs,
    armedAt: now,
    ...(match.cooldownLabel !== undefined && { label: match.cooldownLabel }),
    ...(rule.tells && { firedFor: firedFor(event, rule.tellsOnlyIf) }),
  });
}

function judgeAction(
  judged: Case,
  rule: RuleFacts,
  action: ActionFacts,
  dedupKey: string,
): { verdict: Verdict; armed: boolean } {
  const { memory, learnt, now } = judged;
  const refuse = (code: SkipCode, reason: string, more: Known = {}) => ({
    verdict: skip(code, reason, { rule: rule.id, action: action.name, ...more }),
    armed: false,
  });
  if (!action.enabled) return refuse('disabled', 'action disabled');
  const repeatMs = remainingMs(learnt.dedups.get(dedupKey) ?? memory.dedups.get(dedupKey), now);
  if (repeatMs > 0) return refuse('dedup', `dedup window active for ${repeatMs}ms`, { untilAt: now + repeatMs });
  const tooMany = action.spawns ? tooManySpawns(judged) : undefined;
  if (tooMany) return refuse(...tooMany);

  // Armed before anything runs, and never released by a failure: retries belong to the remediation.
  if (action.dedupWindowMs > 0) {
    learnt.dedups.set(dedupKey, { rule: rule.id, action: action.name, untilAt: now + action.dedupWindowMs });
  }
  // Shadow arms all the same, so that a trial shows the true number of firings. It starts no agent, though, and must not
  // use up those that other rules may start.
  if (rule.mode === 'shadow') return { ...refuse('shadow', 'shadow mode: would fire'), armed: true };
  if (action.spawns) learnt.chain.spawns += 1;
  return { verdict: { verdict: 'fire', rule: rule.id, action: action.name }, armed: true };
}

function tooManySpawns({ memory, learnt, place, ruleset, now }: Case): [SkipCode, string] | undefined {
  const { maxDescendants } = ruleset;
  const spawns = spawnsOf(memory.chains, place.root) + learnt.chain.spawns;
  if (maxDescendants !== undefined && spawns >= maxDescendants) {
    return ['descendants', `${spawns} agents stem from event ${place.root} already (maxDescendants ${maxDescendants})`];
  }
  const recent = recentSpawnsOf(memory.chains, place.root, now) + learnt.chain.spawns;
  if (recent < MAX_SPAWNS_IN_WINDOW) return undefined;
  return [
    'spawn-rate',
    `${recent} agents were started for event ${place.root} in the last ${SPAWN_WINDOW_MS / 1000} s`,
  ];
}

const factsByRule = new WeakMap<RulesetFacts, Map<string, RuleFacts>>();

/** A batch may match a thousand rules, each of them for many events. */
export function factsOfRule(ruleset: RulesetFacts, rule: string): RuleFacts {
  const known = factsByRule.get(ruleset) ?? new Map(ruleset.rules.map((facts) => [facts.id, facts]));
  factsByRule.set(ruleset, known);
  const facts = known.get(rule);
  if (!facts) throw new Error(`rule ${rule} matched but is not among the facts of its ruleset`);
  return facts;
}

function skip(code: SkipCode, reason: string, more: Known & Pick<Skip, 'rule' | 'action'> = {}): Skip {
  return { ...more, verdict: 'skip', code, reason };
}
