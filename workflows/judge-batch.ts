import { type ActivityFailure, rootCause, TimeoutFailure } from '@temporalio/workflow';
import type { MeshEvent } from '#contract/event.js';
import type { ConfigTrouble, EventMatches, MatchRequest, RulesetFacts } from '#contract/matched.js';
import { hashId } from '#rules/guards/seen.js';
import { type EventItem, eventIdOf } from './inbox.js';
import { type Firing, judgeItem } from './judge-item.js';
import type { JudgedBy } from './start-firings.js';
import { matchEvents } from './watch-activities.js';
import type { WatchState } from './watch-state.js';

export type JudgedBatch =
  | {
      /** How many of the items were judged; the answer of a match has a limit, the rest is for the next batch. */
      taken: number;
      firings: Firing[];
      by: JudgedBy;
    }
  | { unavailable: string[] };

/**
 * Judges a batch in order of arrival. Matching happens first and in one go; nothing is remembered before it has come back,
 * so a batch that finds no rules can be judged again later as if it had just arrived.
 */
export async function judgeBatch(state: WatchState, items: EventItem[]): Promise<JudgedBatch> {
  const admitted = itemsToMatch(state, items);
  const matched = await matchOrBlame(
    { tenant: state.tenant, ...(state.ruleset?.ruleIds && { knownHash: state.ruleset.hash }) },
    admitted.map(({ event }) => event as MeshEvent),
  );
  if (!matched.available) return { unavailable: matched.problems };

  const { ruleset } = matched;
  const now = Date.now();
  if (ruleset) noteFiles(state, ruleset, matched.configTrouble, now);
  // By id, so that a copy within the batch of an event that could not be matched shares its answer.
  const matches = new Map(matched.events.map((found, index) => [eventIdOf(admitted[index]?.event), found]));
  const firstLeft = admitted[matched.events.length];
  const taken = firstLeft ? items.indexOf(firstLeft) : items.length;
  const firings = items
    .slice(0, taken)
    .flatMap((item) => judgeItem(state, item, matches.get(eventIdOf(item.event)), ruleset, now));
  state.lastEventAt = now;
  return { taken, firings, by: { rulesetHash: ruleset?.hash ?? '', firedAt: now } };
}

function noteFiles(state: WatchState, ruleset: RulesetFacts, trouble: ConfigTrouble | undefined, now: number): void {
  const { hash, source, problems } = ruleset;
  // They are told once per version.
  const ruleIds = ruleset.ruleIds ?? (state.ruleset?.hash === hash ? state.ruleset.ruleIds : undefined);
  state.ruleset = { hash, source, problems, ...(ruleIds && { ruleIds }) };
  state.configTrouble = trouble && { ...trouble, sinceAt: state.configTrouble?.sinceAt ?? now, seenAt: now };
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
  | { available: true; ruleset?: RulesetFacts; events: EventMatches[]; configTrouble?: ConfigTrouble }
  | { available: false; problems: string[] };

/** Should matching fail for a whole batch, each event is matched alone, so that the one to blame harms no other. */
async function matchOrBlame(whose: Omit<MatchRequest, 'events'>, events: MeshEvent[]): Promise<Matched> {
  if (events.length === 0) return { available: true, events: [] };
  try {
    return await matchEvents({ ...whose, events });
  } catch (error) {
    // Nothing is wrong with an event because a disk hangs: it is held, like any event whose rules cannot be had.
    if ((error as ActivityFailure).cause instanceof TimeoutFailure) {
      return { available: false, problems: ['reading the rules and matching took too long'] };
    }
    if (events.length === 1) return { available: true, events: [{ error: `could not be matched: ${causeOf(error)}` }] };
  }
  let ruleset: RulesetFacts | undefined;
  let configTrouble: ConfigTrouble | undefined;
  const matches: EventMatches[] = [];
  for (const event of events) {
    const one = await matchOrBlame(ruleset?.ruleIds ? { ...whose, knownHash: ruleset.hash } : whose, [event]);
    if (!one.available) return one;
    // Facts list the matched rules only, so those of single events are put together. All rules of a version are told once.
    if (one.ruleset) {
      const ruleIds = one.ruleset.ruleIds ?? (ruleset?.hash === one.ruleset.hash ? ruleset.ruleIds : undefined);
      const rules = [...(ruleset?.rules ?? []), ...one.ruleset.rules];
      ruleset = { ...one.ruleset, rules, ...(ruleIds && { ruleIds }) };
      configTrouble = one.configTrouble;
    }
    matches.push(...one.events);
  }
  return { available: true, ...(ruleset && { ruleset }), events: matches, ...(configTrouble && { configTrouble }) };
}

function causeOf(error: unknown): string {
  return rootCause(error) ?? (error as ActivityFailure).message;
}
