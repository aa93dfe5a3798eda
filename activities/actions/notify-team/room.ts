import { plural } from '#contract/text/words.js';

/** Well below what a worker does at once, so that agents and capacity have the rest. */
export const MAX_DELIVERIES = 60;
/** Beyond those only one at each receiver, so that two that hang do not keep a third from getting anything. */
export const MAX_WITH_ONE_EACH = 80;
/** So that a receiver that hangs leaves room for the others. */
export const MAX_AT_RECEIVER = 30;

/** Where the attempts of a worker are counted. */
export interface Room {
  /** To be left with what it returns; or why there is no room. */
  enter(receiver: string): { leave(): void } | { full: string };
}

/**
 * Bounds how many attempts one worker makes at once. Who finds it full goes away and comes again: to wait here would take from
 * the other actions just what the bound is to leave to them.
 */
export function createRoom(): Room {
  const under = new Map<string, number>();
  let all = 0;
  return {
    enter(receiver) {
      const there = under.get(receiver) ?? 0;
      if (there >= MAX_AT_RECEIVER)
        return { full: `This worker has ${attempts(there)} at the same receiver under way` };
      if (all >= (there === 0 ? MAX_WITH_ONE_EACH : MAX_DELIVERIES))
        return { full: `This worker has ${attempts(all)} to deliver messages under way` };
      all += 1;
      under.set(receiver, there + 1);
      return {
        leave() {
          all -= 1;
          const left = (under.get(receiver) ?? 0) - 1;
          if (left > 0) under.set(receiver, left);
          else under.delete(receiver);
        },
      };
    },
  };
}

function attempts(count: number): string {
  return plural(count, 'attempt');
}
