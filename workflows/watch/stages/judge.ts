import type { Fire, Refusal } from '#contract/activities.js';
import type { MeshEvent } from '#contract/event.js';
import { factsOf } from '#contract/facts.js';
import type { EventMatches, RuleMatch, RulesetFacts } from '#contract/matched.js';
import { shortened } from '#contract/text/shorten.js';
import type { SkipCode } from '#contract/verdict.js';
import type { Verdict } from '#contract/views/verdicts.js';
import { factsOfRule, judgeAtDoor, judgedError, judgeMatched } from '#rules/guards/judge.js';
import { endedIdsOf } from '#rules/guards/known-agents.js';
import type { Learnt } from '#rules/guards/learn.js';
import type { GuardMemory } from '#rules/guards/memory.js';
import { type Place, placeEvent } from '#rules/guards/place-event.js';
import { namesIn, worksIn } from '#rules/guards/works.js';
import type { About, EndedAgent, Judged, MetRule, Success, Work } from '../judged.js';
import type { Arrived } from './match.js';

type Decided = Omit<Judged, 'at' | 'about'>;
type Matched = Extract<EventMatches, { matches: RuleMatch[] }>;

/** Decides about one event, and finds out what there is to be learnt of it. Changes nothing. */
export function judge(arrived: Arrived, memory: GuardMemory, ruleset: RulesetFacts | undefined, now: number): Judged {
  const { event } = arrived.item;
  try {
    const { depth, ...decided } = decide(arrived, memory, ruleset, now);
    return { at: now, about: aboutOf(event, depth), ...decided };
  } catch (error) {
    // A mistake of ours must not stop the watch: this event's verdict says so, the others go on.
    const why = `could not be judged: ${error instanceof Error ? error.message : String(error)}`;
    return { at: now, about: aboutOf(event), ...refusedBy(judgedError(why)) };
  }
}

function decide(
  { item, id, isSeen, first, found = first?.found }: Arrived,
  memory: GuardMemory,
  ruleset: RulesetFacts | undefined,
  now: number,
): Decided & { depth?: number } {
  if (id === undefined) return refusedBy(judgedError('not a valid event: it has no id'));
  // The pause may have come while the batch was being matched, and a copy is one only if the first of them was judged.
  const refused = judgeAtDoor(isSeen || first?.isSeen === true, item.pause);
  if (refused?.code === 'paused')
    return { ...refusedBy(refused), seenId: id, ...toldWhilePaused(item.event, memory, now) };
  if (refused) return refusedBy(refused);
  if (!found || 'error' in found) return refusedBy(judgedError(found?.error ?? 'was not matched'));
  if (!ruleset) return refusedBy(judgedError('was matched without a ruleset'));
  const event = item.event as MeshEvent;
  const place = placeEvent(event, {
    agents: memory.agents,
    lineage: found.lineage,
    maxChainDepth: ruleset.maxChainDepth,
    now,
  });
  const { verdicts, learnt } = judgeMatched(memory, event, ruleset, found, now, place);
  return {
    depth: place.depth,
    verdicts,
    missed: missedBy(verdicts, found),
    seenId: id,
    ...(learnt && { learnt }),
    ...(found.agentEnd && { ended: endedBy(event, found.agentEnd, found.lineage) }),
    ...toldBy(event, place.root, found, verdicts, ruleset),
    fires: firesOf(event, place, verdicts, found, learnt),
  };
}

/** What it tells of the task or tool that it names. */
function toldBy(
  event: MeshEvent,
  root: string,
  { works, matches }: Matched,
  verdicts: Verdict[],
  ruleset: RulesetFacts,
): Pick<Judged, 'works' | 'broken'> {
  if (works) return { works: successOf(event, { ...workOf(event, root), ...works }) };
  const rules = rulesThatMet(verdicts, matches, ruleset);
  return rules.size === 0 ? {} : { broken: { ...workOf(event, root), rules } };
}

/**
 * A paused event is not matched, but what it tells counts: a remediation may be waiting for the end of an agent, an alert for a
 * success. Nobody has checked the event yet, and tokens are not looked into: its chain is known by the agent, or by what it
 * says of itself.
 */
function toldWhilePaused(event: unknown, memory: GuardMemory, now: number): Partial<Decided> {
  if (!isReport(event)) return {};
  const { endsAgent } = factsOf(event);
  const ended = endsAgent ? { ended: endedBy(event, { outcome: endsAgent.outcome }) } : {};
  if (!Number.isFinite(event.occurredAt)) return ended;
  const { root } = placeEvent(event, { agents: memory.agents, lineage: undefined, maxChainDepth: Infinity, now });
  const hasFailed = event.outcome === 'failed' || event.outcome === 'timeout';
  if (hasFailed) return { ...ended, broken: { ...workOf(event, root), rules: 'any' } };
  return worksIn(event) ? { ...ended, works: successOf(event, workOf(event, root)) } : ended;
}

/** As much of an event as that takes. */
function isReport(event: unknown): event is MeshEvent {
  const { event: name, payload, session } = (event ?? {}) as Partial<Record<keyof MeshEvent, unknown>>;
  return (
    typeof name === 'string' &&
    typeof payload === 'object' &&
    payload !== null &&
    (session === undefined || typeof session === 'string')
  );
}

function workOf(event: MeshEvent, root: string): Work {
  const { session, occurredAt } = event;
  return { ...namesIn(event), ...(session !== undefined && { session }), root, occurredAt };
}

/** It is kept and shown, and perhaps nobody has checked it. */
function successOf({ id, event }: MeshEvent, work: Work): Success {
  return { ...work, by: { event: event.slice(0, 128), eventId: id.slice(0, 200) } };
}

function endedBy(event: MeshEvent, end: EndedAgent['end'], lineage?: Matched['lineage']): EndedAgent {
  const { session } = event;
  return {
    end,
    ids: endedIdsOf(event),
    ...(session !== undefined && { session }),
    ...(lineage && 'parent' in lineage && { parent: lineage.parent }),
  };
}

/** Those that fired for the event, or would have, had not a guard kept them quiet: it is broken all the same. */
function rulesThatMet(verdicts: Verdict[], matches: RuleMatch[], ruleset: RulesetFacts): Map<string, MetRule> {
  // Refused before any rule was asked, or before all were: such a verdict names none.
  const isForAll = verdicts.some((one) => one.verdict === 'skip' && BEFORE_RULES.has(one.code));
  const fired = new Set(verdicts.flatMap((one) => (one.verdict === 'fire' ? [one.rule] : [])));
  const quiet = new Set(
    verdicts.flatMap((one) => (one.verdict === 'skip' && KEPT_QUIET.has(one.code) ? [one.rule] : [])),
  );
  const met = matches.filter(({ rule }) => isForAll || fired.has(rule) || quiet.has(rule));
  return new Map(
    met.map(({ rule, cooldownKey }) => [
      rule,
      { cooldownKey, mayOpen: fired.has(rule) && factsOfRule(ruleset, rule).tells === true },
    ]),
  );
}

const BEFORE_RULES = new Set<SkipCode>(['max-depth', 'rule-limit']);
const KEPT_QUIET = new Set<SkipCode>(['cooldown', 'dedup', 'rule-depth', 'descendants', 'spawn-rate']);

function firesOf(
  event: MeshEvent,
  place: Place,
  verdicts: Verdict[],
  { matches }: Matched,
  learnt: Learnt | undefined,
): Fire[] {
  const actions = new Map<string, string[]>();
  for (const one of verdicts) {
    if (one.verdict === 'fire') actions.set(one.rule, [...(actions.get(one.rule) ?? []), one.action]);
  }
  if (actions.size === 0) return [];
  const placed = placedEvent(event, place);
  return [...actions].map(([rule, ofRule]) => {
    const refused = refusedFor(rule, verdicts);
    const key = matches.find((one) => one.rule === rule)?.cooldownKey ?? '';
    const cooldown = learnt?.cooldowns.get(key);
    const { untilAt: cooldownUntilAt = 0, label } = cooldown ?? {};
    return {
      event: placed,
      rule,
      actions: ofRule,
      ...(refused.length > 0 && { refused }),
      ...(cooldown && { quiet: { cooldownUntilAt, ...(label !== undefined && { label }) } }),
      path: place.path,
    };
  });
}

/** As the watch has found it to be. The token has done its work, and goes into no remediation. */
function placedEvent(event: MeshEvent, { depth, root, parent }: Place): MeshEvent {
  const { lineage: _reported, ...rest } = event;
  const beginsChain = root === event.id && parent === undefined;
  return { ...rest, depth, ...(!beginsChain && { lineage: { root, ...(parent !== undefined && { parent }) } }) };
}

/** By the limits of the chain: whoever is told of this firing is to hear why no agent was started. */
function refusedFor(rule: string, verdicts: Verdict[]): Refusal[] {
  return verdicts.flatMap((one) => {
    if (one.verdict === 'fire' || one.rule !== rule || one.action === undefined || !LIMITS.has(one.code)) return [];
    return [{ action: one.action, reason: one.reason }];
  });
}

const LIMITS = new Set<SkipCode>(['descendants', 'spawn-rate']);

function refusedBy(verdict: Verdict): Decided {
  return { verdicts: [verdict], missed: [], fires: [] };
}

/** Only where matching decided anything. */
function missedBy(verdicts: Verdict[], { misses = [] }: Matched): Judged['missed'] {
  const wasMatched = verdicts.some(
    (verdict) => verdict.rule !== undefined || ('code' in verdict && verdict.code === 'no-match'),
  );
  return wasMatched ? misses : [];
}

function aboutOf(event: unknown, placedDepth?: number): About {
  const { id, event: name, depth } = (event ?? {}) as Partial<Record<keyof MeshEvent, unknown>>;
  return {
    id: typeof id === 'string' ? id.slice(0, 200) : '?',
    event: typeof name === 'string' ? name.slice(0, 128) : '?',
    depth: placedDepth ?? (typeof depth === 'number' ? depth : 0),
    ...(isReport(event) && factsForPeople(event)),
  };
}

function factsForPeople(event: MeshEvent): Partial<About> {
  const { outcome, session, agent, source, occurredAt } = event;
  const said = { outcome, session, agent, source, ...namesIn(event), error: factsOf(event).error };
  const texts = Object.entries(said).flatMap(([name, text]: [string, unknown]) =>
    typeof text === 'string' ? [[name, shortened(text, MAX_CHARS_FOR_PEOPLE)] as const] : [],
  );
  return { ...Object.fromEntries<string>(texts), ...(Number.isFinite(occurredAt) && { occurredAt }) };
}

const MAX_CHARS_FOR_PEOPLE = 300;
