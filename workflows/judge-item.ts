import type { Fire } from '../contract/activities.js';
import type { MeshEvent } from '../contract/event.js';
import type { EventMatches, RulesetFacts } from '../contract/matched.js';
import type { Quiet } from '../contract/remediation.js';
import type { LoggedVerdict, MissedRule, Verdict } from '../contract/verdict.js';
import { isAgentEnd, outcomeOf } from '../rules/guards/agent-end.js';
import { judgeAtDoor, judgedError, judgeMatched } from '../rules/guards/judge.js';
import { type Place, placeEvent } from '../rules/guards/place-event.js';
import { markSeen } from '../rules/guards/seen.js';
import { type EventItem, eventIdOf } from './inbox.js';
import { resolveIncidents, successOf } from './incidents.js';
import { noteSuccess, noteTrouble } from './noted-successes.js';
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
  noteTrouble(state, event.session, now);
  return [...firedRules].map((rule) => {
    const fired = entries.filter((entry) => entry.verdict === 'fire' && entry.rule === rule);
    const actions = fired.map((entry) => entry.action ?? '');
    const quiet = quietOf(state, rule, matched, now);
    return { fire: { event, rule, actions, ...(quiet && { quiet }), path: place.path }, entries: fired };
  });
}

/** As the watch has found it to be. The token has done its work, and goes into no remediation. */
function placedEvent(event: MeshEvent, { depth, root, parent }: Place): MeshEvent {
  const { lineage: _reported, ...rest } = event;
  const beginsChain = root === event.id && parent === undefined;
  return { ...rest, depth, ...(!beginsChain && { lineage: { root, ...(parent !== undefined && { parent }) } }) };
}

function quietOf(state: WatchState, rule: string, matched: EventMatches | undefined, now: number): Quiet | undefined {
  const match = matched && 'matches' in matched ? matched.matches.find((one) => one.rule === rule) : undefined;
  const cooldown = match && state.memory.cooldowns.get(match.cooldownKey);
  if (!cooldown || cooldown.untilAt <= now) return undefined;
  return { cooldownUntilAt: cooldown.untilAt, ...(cooldown.label !== undefined && { label: cooldown.label }) };
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
    if (refused?.code === 'paused') noteEndWhilePaused(state, item.event, now);
    if (refused) {
      if (refused.code !== 'duplicate') markSeen(state.memory, id);
      return refusedBy(refused);
    }
    if (!matched || 'error' in matched) return refusedBy(judgedError(matched?.error ?? 'was not matched'));
    if (!ruleset) return refusedBy(judgedError('was matched without a ruleset'));
    const { agents } = state.memory;
    const { lineage, agentEnd, works } = matched;
    const place = placeEvent(event, { agents, lineage, maxChainDepth: ruleset.maxChainDepth, now });
    const verdicts = judgeMatched(state.memory, event, ruleset, matched, now);
    markSeen(state.memory, id);
    if (agentEnd) noteEnd(state, event, agentEnd, now);
    if (works) {
      const success = successOf(event, place.root, works, now);
      resolveIncidents(state, success, now);
      // An event for which a rule fires is the trouble itself.
      if (!verdicts.some(({ verdict }) => verdict === 'fire')) noteSuccess(state, success);
    }
    return { verdicts, place };
  } catch (error) {
    // A mistake of ours must not stop the watch: this event's verdict says so, the others go on.
    return refusedBy(judgedError(`could not be judged: ${error instanceof Error ? error.message : String(error)}`));
  }
}

function refusedBy(verdict: Verdict): Judged {
  return { verdicts: [verdict] };
}

/** A paused event is not matched, but a remediation may be waiting for the end that it tells of. */
function noteEndWhilePaused(state: WatchState, event: unknown, now: number): void {
  if (isReport(event) && isAgentEnd(event)) noteEnd(state, event, { outcome: outcomeOf(event) }, now);
}

/** As much of an event as the end of an agent takes: nobody has checked it yet. */
function isReport(event: unknown): event is MeshEvent {
  const { event: name, payload } = (event ?? {}) as Partial<Record<keyof MeshEvent, unknown>>;
  return typeof name === 'string' && typeof payload === 'object' && payload !== null;
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
