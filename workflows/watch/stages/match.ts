import { type ActivityFailure, rootCause, TimeoutFailure } from '@temporalio/workflow';
import type { MeshEvent } from '#contract/event.js';
import type { ConfigTrouble, EventMatches, MatchRequest, RulesetFacts } from '#contract/matched.js';
import type { GuardMemory } from '#rules/guards/memory.js';
import { hashId } from '#rules/guards/seen.js';
import { matchEvents } from '../activities.js';
import { type EventItem, eventIdOf } from '../inbox.js';

/** An event of the batch, and what its rules said to it. */
export interface Arrived {
  item: EventItem;
  id: string | undefined;
  /** It was judged before. */
  isSeen: boolean;
  /** The first of the batch with this id, of which this is a copy. */
  first?: Arrived;
  /** None where the rules were not asked: see `first`, or its pause. */
  found?: EventMatches;
}

export type MatchedBatch =
  | {
      available: true;
      /** Those that can be judged; the answer of a match has a limit, the rest is for the next batch. */
      arrived: Arrived[];
      ruleset?: RulesetFacts;
      configTrouble?: ConfigTrouble;
    }
  | { available: false; problems: string[] };

/** Asks for the whole batch at once which rules look at its events. What the door refuses anyway is not asked for. */
export async function match(
  whose: Omit<MatchRequest, 'events'>,
  memory: GuardMemory,
  items: EventItem[],
): Promise<MatchedBatch> {
  const arrived = atDoor(memory, items);
  const asked = arrived.filter(({ item, id, isSeen, first }) => id !== undefined && !isSeen && !first && !item.pause);
  const matched = await matchOrBlame(
    whose,
    asked.map(({ item }) => item.event as MeshEvent),
  );
  if (!matched.available) return matched;
  const { events, ...facts } = matched;
  for (const [index, found] of events.entries()) Object.assign(asked[index] ?? {}, { found });
  const firstLeft = asked[events.length];
  return { ...facts, arrived: firstLeft ? arrived.slice(0, arrived.indexOf(firstLeft)) : arrived };
}

/** A storm of one event costs one match. */
function atDoor(memory: GuardMemory, items: EventItem[]): Arrived[] {
  const firsts = new Map<string, Arrived>();
  return items.map((item): Arrived => {
    const id = eventIdOf(item.event);
    if (id === undefined) return { item, id, isSeen: false };
    const hashed = hashId(id);
    const first = firsts.get(hashed);
    const arrived = { item, id, isSeen: memory.seen.has(hashed), ...(first && { first }) };
    if (!first) firsts.set(hashed, arrived);
    return arrived;
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
