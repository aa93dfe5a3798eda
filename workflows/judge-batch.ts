import { type ActivityFailure, proxyLocalActivities, rootCause, TimeoutFailure } from '@temporalio/workflow';
import type { Fire, WatchActivities } from '../contract/activities.js';
import type { MeshEvent } from '../contract/event.js';
import type { EventMatches, RulesetFacts } from '../contract/matched.js';
import type { LoggedVerdict, MissedRule, Verdict } from '../contract/verdict.js';
import { judgeAtDoor, judgedError, judgeMatched } from '../rules/guards/judge.js';
import { hashId, markSeen } from '../rules/guards/seen.js';
import { noteChain } from './chains.js';
import { type EventItem, eventIdOf } from './inbox.js';
import { logVerdicts, type VerdictSubject } from './verdict-log.js';
import type { WatchState } from './watch-state.js';

/** A rule that fired for an event, and the log entries that will name its remediation. */
export interface Firing {
  fire: Fire;
  entries: LoggedVerdict[];
}

export type JudgedBatch =
  | {
      /** How many of the items were judged; the answer of a match has a limit, the rest is for the next batch. */
      taken: number;
      firings: Firing[];
      rulesetHash: string;
    }
  | { unavailable: string[] };

const { matchEvents } = proxyLocalActivities<Pick<WatchActivities, 'matchEvents'>>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '2 seconds', maximumAttempts: 3 },
  summary: 'loads the rules and matches a batch of events',
});

/**
 * Judges a batch in order of arrival. Matching happens first and in one go; nothing is remembered before it has come back,
 * so a batch that finds no rules can be judged again later as if it had just arrived.
 */
export async function judgeBatch(state: WatchState, items: EventItem[]): Promise<JudgedBatch> {
  const admitted = itemsToMatch(state, items);
  const matched = await matchOrBlame(
    state.tenant,
    admitted.map(({ event }) => event as MeshEvent),
  );
  if (!matched.available) return { unavailable: matched.problems };

  const { ruleset } = matched;
  if (ruleset) state.ruleset = { hash: ruleset.hash, source: ruleset.source, problems: ruleset.problems };
  const now = Date.now();
  // By id, so that a copy within the batch of an event that could not be matched shares its answer.
  const matches = new Map(matched.events.map((found, index) => [eventIdOf(admitted[index]?.event), found]));
  const firstLeft = admitted[matched.events.length];
  const taken = firstLeft ? items.indexOf(firstLeft) : items.length;
  const firings = items
    .slice(0, taken)
    .flatMap((item) => judgeItem(state, item, matches.get(eventIdOf(item.event)), ruleset, now));
  state.lastEventAt = now;
  return { taken, firings, rulesetHash: ruleset?.hash ?? '' };
}

/** Leaves out what the door refuses anyway, so that a storm of one event costs one match. */
function itemsToMatch(state: WatchState, items: EventItem[]): EventItem[] {
  const inBatch = new Set<string>();
  return items.filter((item) => {
    const id = eventIdOf(item.event);
    if (id === undefined || item.pause) return false;
    const hashed = hashId(id);
    if (inBatch.has(hashed) || state.memory.seen.has(hashed)) return false;
    inBatch.add(hashed);
    return true;
  });
}

type Matched =
  { available: true; ruleset?: RulesetFacts; events: EventMatches[] } | { available: false; problems: string[] };

/** Should matching fail for a whole batch, each event is matched alone, so that the one to blame harms no other. */
async function matchOrBlame(tenant: string, events: MeshEvent[]): Promise<Matched> {
  if (events.length === 0) return { available: true, events: [] };
  try {
    return await matchEvents({ tenant, events });
  } catch (error) {
    // Nothing is wrong with an event because a disk hangs: it is held, like any event whose rules cannot be had.
    if ((error as ActivityFailure).cause instanceof TimeoutFailure) {
      return { available: false, problems: ['reading the rules and matching took too long'] };
    }
    if (events.length === 1) return { available: true, events: [{ error: `could not be matched: ${causeOf(error)}` }] };
  }
  let ruleset: RulesetFacts | undefined;
  const matches: EventMatches[] = [];
  for (const event of events) {
    const one = await matchOrBlame(tenant, [event]);
    if (!one.available) return one;
    // Facts list the matched rules only, so those of single events are put together.
    if (one.ruleset) ruleset = { ...one.ruleset, rules: [...(ruleset?.rules ?? []), ...one.ruleset.rules] };
    matches.push(...one.events);
  }
  return { available: true, ...(ruleset && { ruleset }), events: matches };
}

function judgeItem(
  state: WatchState,
  item: EventItem,
  matched: EventMatches | undefined,
  ruleset: RulesetFacts | undefined,
  now: number,
): Firing[] {
  const verdicts = verdictsOn(state, item, matched, ruleset, now);
  const subject = subjectOf(item.event);
  const entries = logVerdicts(state, subject, verdicts, now, missedBy(verdicts, matched));
  const firedRules = new Set(verdicts.flatMap((verdict) => (verdict.verdict === 'fire' ? [verdict.rule] : [])));
  if (firedRules.size === 0) return [];

  const event = item.event as MeshEvent;
  return [...firedRules].map((rule) => {
    noteChain(state.chains, event, now);
    const fired = entries.filter((entry) => entry.verdict === 'fire' && entry.rule === rule);
    return { fire: { event, rule, actions: fired.map((entry) => entry.action ?? '') }, entries: fired };
  });
}

function verdictsOn(
  state: WatchState,
  item: EventItem,
  matched: EventMatches | undefined,
  ruleset: RulesetFacts | undefined,
  now: number,
): Verdict[] {
  const id = eventIdOf(item.event);
  if (id === undefined) return [judgedError('not a valid event: it has no id')];
  const event = item.event as MeshEvent;
  try {
    // The pause may have come while the batch was being matched.
    const refused = judgeAtDoor(state.memory, event, item.pause);
    if (refused) {
      if (refused.code !== 'duplicate') markSeen(state.memory, id);
      return [refused];
    }
    if (!matched || 'error' in matched) return [judgedError(matched?.error ?? 'was not matched')];
    if (!ruleset) return [judgedError('was matched without a ruleset')];
    const verdicts = judgeMatched(state.memory, event, ruleset, matched, now);
    markSeen(state.memory, id);
    return verdicts;
  } catch (error) {
    // A mistake of ours must not stop the watch: this event's verdict says so, the others go on.
    return [judgedError(`could not be judged: ${error instanceof Error ? error.message : String(error)}`)];
  }
}

/** Only where matching decided anything: a copy of an event shares the match of the first one. */
function missedBy(verdicts: Verdict[], matched: EventMatches | undefined): MissedRule[] {
  const wasMatched = verdicts.some(
    (verdict) => verdict.rule !== undefined || ('code' in verdict && verdict.code === 'no-match'),
  );
  return wasMatched && matched && 'misses' in matched ? (matched.misses ?? []) : [];
}

function subjectOf(event: unknown): VerdictSubject {
  const { id, event: name, depth } = (event ?? {}) as Partial<Record<keyof MeshEvent, unknown>>;
  return {
    id: typeof id === 'string' ? id.slice(0, 200) : '?',
    event: typeof name === 'string' ? name.slice(0, 128) : '?',
    depth: typeof depth === 'number' ? depth : 0,
  };
}

function causeOf(error: unknown): string {
  return rootCause(error) ?? (error as ActivityFailure).message;
}
