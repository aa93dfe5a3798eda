import { utc } from '#contract/text/markdown.js';
import type { WatchedIncident } from './incidents.js';
import { heldUntilAts } from './resolves.js';
import { alertOf } from './same-work.js';
import type { WatchState } from './watch-state.js';

/** Of each incident that works again: when its receiver is told, in words that go on after "resolved when". */
export function whatHolds({ memory, pause, ...state }: WatchState): Map<WatchedIncident, string> {
  const incidents = [...state.incidents.values()];
  const working = incidents.filter(({ resolved }) => resolved);
  // Asked at every turn of the watch, and mostly nothing waits.
  if (working.length === 0) return new Map();
  if (pause) return new Map(working.map((one) => [one, 'the tenant is resumed']));
  const broken = new Set(incidents.filter(({ resolved }) => !resolved).map(alertOf));
  const heldUntil = latestByAlert(heldUntilAts(memory, working));
  return new Map(working.map((one) => [one, holdOf(broken.has(alertOf(one)), heldUntil.get(alertOf(one)))]));
}

/** An alert waits for the last of its incidents. */
function latestByAlert(heldUntil: Map<WatchedIncident, number>): Map<string, number> {
  const latest = new Map<string, number>();
  for (const [one, untilAt] of heldUntil) {
    latest.set(alertOf(one), Math.max(latest.get(alertOf(one)) ?? 0, untilAt));
  }
  return latest;
}

function holdOf(isBroken: boolean, heldUntil: number | undefined): string {
  if (isBroken) return 'all else of its alert works too';
  if (heldUntil !== undefined) return `the cooldown of the rule ends, ${utc(heldUntil)}`;
  // Events of a pause may take it back.
  return 'what waits is judged';
}
