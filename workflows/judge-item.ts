import type { Fire, Refusal } from '#contract/activities.js';
import type { MeshEvent } from '#contract/event.js';
import type { EventMatches, RuleMatch, RulesetFacts } from '#contract/matched.js';
import type { Quiet } from '#contract/remediation.js';
import type { LoggedVerdict, MissedRule, SkipCode, Verdict } from '#contract/verdict.js';
import { judgeAtDoor, judgedError, judgeMatched } from '#rules/guards/judge.js';
import { type Place, placeEvent } from '#rules/guards/place-event.js';
import { markSeen } from '#rules/guards/seen.js';
import { type EventItem, eventIdOf } from './inbox.js';
import { noteAgain, resolveIncidents, successOf } from './incidents.js';
import { noteFiring, noteSuccess } from './noted-successes.js';
import { noteWhilePaused } from './note-while-paused.js';
import { logVerdicts, type VerdictSubject } from './verdict-log.js';
import { noteEnd } from './watch-agents.js';
import type { WatchState } from './watch-state.js';

/** A rule that fired for an event, and the log entries that will name its remediation. */
export interface Firing {
  fire: Fire;
  entries: LoggedVerdict[];
}

/** Judges one event of a batch that was matched, and remembers what it tells. */
export function judgeItem(
  state: WatchState,
  item: EventItem,
  matched: EventMatches | undefined,
  ruleset: RulesetFacts | undefined,
  now: number,
): Firing[] {
  const { verdicts, place } = judged(state, item, matched, ruleset, now);
  const subject = subjectOf(item.event, place);
  const entries = logVerdicts(state, subject, verdicts, now, missedBy(verdicts, matched));
  const firedRules = new Set(verdicts.flatMap((verdict) => (verdict.verdict === 'fire' ? [verdict.rule] : [])));
  if (firedRules.size === 0 || !place) return [];

  const event = placedEvent(item.event as MeshEvent, place);
  noteFiring(state, event.session, now);
  return [...firedRules].map((rule) => {
    const fired = entries.filter((entry) => entry.verdict === 'fire' && entry.rule === rule);
    const actions = fired.map((entry) => entry.action ?? '');
    const quiet = quietOf(state, rule, matched, now);
    const refused = refusedFor(rule, verdicts);
    const fire = {
      event,
      rule,
      actions,
      ...(refused.length > 0 && { refused }),
      ...(quiet && { quiet }),
      path: place.path,
    };
    return { fire, entries: fired };
  });
}

/** By the limits of the chain: whoever is told of this firing is to hear why no agent was started. */
function refusedFor(rule: string, verdicts: Verdict[]): Refusal[] {
  return verdicts.flatMap((one) => {
    if (one.verdict === 'fire' || one.rule !== rule || one.action === undefined || !LIMITS.has(one.code)) return [];
    return [{ action: one.action, reason: one.reason }];
  });
}

const LIMITS = new Set<SkipCode>(['descendants', 'spawn-rate']);

/** As the watch has found it to be. The token has done its work, and goes into no remediation. */
function placedEvent(event: MeshEvent, { depth, root, parent }: Place): MeshEvent {
  const { lineage: _reported, ...rest } = event;
  const beginsChain = root === event.id && parent === undefined;
  return { ...rest, depth, ...(!beginsChain && { lineage: { root, ...(parent !== undefined && { parent }) } }) };
}

function quietOf(state: WatchState, rule: string, matched: EventMatches | undefined, now: number): Quiet | undefined {
  const match = matchOf(matched, rule);
  const cooldown = match && state.memory.cooldowns.get(match.cooldownKey);
  if (!cooldown || cooldown.untilAt <= now) return undefined;
  return { cooldownUntilAt: cooldown.untilAt, ...(cooldown.label !== undefined && { label: cooldown.label }) };
}

function matchOf(matched: EventMatches | undefined, rule: string): RuleMatch | undefined {
  return matched && 'matches' in matched ? matched.matches.find((one) => one.rule === rule) : undefined;
}

interface Judged {
  verdicts: Verdict[];
  /** Known of events that were matched. */
  place?: Place;
}

function judged(
  state: WatchState,
  item: EventItem,
  matched: EventMatches | undefined,
  ruleset: RulesetFacts | undefined,
  now: number,
): Judged {
  const id = eventIdOf(item.event);
  if (id === undefined) return refusedBy(judgedError('not a valid event: it has no id'));
  const event = item.event as MeshEvent;
  try {
    // The pause may have come while the batch was being matched.
    const refused = judgeAtDoor(state.memory, event, item.pause);
    if (refused?.code === 'paused') noteWhilePaused(state, item.event, now);
    if (refused) {
      if (refused.code !== 'duplicate') markSeen(state.memory, id);
      return refusedBy(refused);
    }
    if (!matched || 'error' in matched) return refusedBy(judgedError(matched?.error ?? 'was not matched'));
    if (!ruleset) return refusedBy(judgedError('was matched without a ruleset'));
    const { agents } = state.memory;
    const { lineage, agentEnd, works } = matched;
    const place = placeEvent(event, { agents, lineage, maxChainDepth: ruleset.maxChainDepth, now });
    const verdicts = judgeMatched(state.memory, event, ruleset, matched, now, place);
    markSeen(state.memory, id);
    if (agentEnd) noteEnd(state, event, agentEnd, now, lineage);
    if (works) {
      const success = successOf(event, place.root, works, now);
      resolveIncidents(state, success);
      // An event for which a rule fires is the trouble itself.
      if (!verdicts.some(({ verdict }) => verdict === 'fire')) noteSuccess(state, success);
    } else {
      for (const rule of rulesThatMet(verdicts, matched.matches)) {
        noteAgain(state, rule, event, place.root, now, matchOf(matched, rule)?.cooldownLabel);
      }
    }
    return { verdicts, place };
  } catch (error) {
    // A mistake of ours must not stop the watch: this event's verdict says so, the others go on.
    return refusedBy(judgedError(`could not be judged: ${error instanceof Error ? error.message : String(error)}`));
  }
}

/** Those that fired for the event, or would have, had not a guard kept them quiet: it is broken all the same. */
function rulesThatMet(verdicts: Verdict[], matches: RuleMatch[]): Set<string> {
  // Refused before any rule was asked, or before all were: such a verdict names none.
  if (verdicts.some((one) => one.verdict === 'skip' && (one.code === 'max-depth' || one.code === 'rule-limit'))) {
    return new Set(matches.map(({ rule }) => rule));
  }
  const isMet = (one: Verdict) => one.verdict === 'fire' || KEPT_QUIET.has(one.code);
  return new Set(verdicts.flatMap((one) => (isMet(one) && one.rule !== undefined ? [one.rule] : [])));
}

const KEPT_QUIET = new Set<SkipCode>(['cooldown', 'dedup', 'rule-depth', 'descendants', 'spawn-rate']);

function refusedBy(verdict: Verdict): Judged {
  return { verdicts: [verdict] };
}

/** Only where matching decided anything: a copy of an event shares the match of the first one. */
function missedBy(verdicts: Verdict[], matched: EventMatches | undefined): MissedRule[] {
  const wasMatched = verdicts.some(
    (verdict) => verdict.rule !== undefined || ('code' in verdict && verdict.code === 'no-match'),
  );
  return wasMatched && matched && 'misses' in matched ? (matched.misses ?? []) : [];
}

function subjectOf(event: unknown, place: Place | undefined): VerdictSubject {
  const { id, event: name, depth } = (event ?? {}) as Partial<Record<keyof MeshEvent, unknown>>;
  return {
    id: typeof id === 'string' ? id.slice(0, 200) : '?',
    event: typeof name === 'string' ? name.slice(0, 128) : '?',
    depth: place?.depth ?? (typeof depth === 'number' ? depth : 0),
  };
}
