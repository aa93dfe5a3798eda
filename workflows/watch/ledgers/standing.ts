import type { Pause } from '#contract/watch.js';
import type { Hold } from '../hold.js';
import type { Ledger } from './ledger.js';

export interface SavedStanding {
  pause?: Pause;
  /** Since when and why events are held: people want to know it over any number of runs. */
  hold?: Pick<Hold, 'sinceAt' | 'problems'>;
  lastEventAt: number;
  runs: number;
}

/** How the watch stands. */
export interface Standing extends Ledger<SavedStanding> {
  pause: Pause | undefined;
  hold: Hold | undefined;
  lastEventAt: number;
  runs: number;
}

export function createStanding(now: number): Standing {
  const standing: Standing = {
    pause: undefined,
    hold: undefined,
    lastEventAt: now,
    runs: 1,
    load({ pause, hold, lastEventAt, runs }) {
      standing.pause = pause;
      // As one that has just ended: the next look at the rules decides whether another follows, which then asks at once.
      standing.hold = hold && { ...hold, nextPauseMs: 0, isOver: true };
      standing.lastEventAt = lastEventAt;
      standing.runs = runs + 1;
    },
    save() {
      const { pause, hold, lastEventAt, runs } = standing;
      const held = hold && { sinceAt: hold.sinceAt, problems: hold.problems };
      return { ...(pause && { pause }), ...(held && { hold: held }), lastEventAt, runs };
    },
    show: () => ({ paused: standing.pause ?? null }),
  };
  return standing;
}
