import { beforeEach, describe, expect, test } from 'vitest';
import {
  FORGET_STEP_MS,
  IDLE_AFTER_MS,
  IDLE_HISTORY_EVENTS,
  MAX_HISTORY_BYTES,
  PRUNE_STEP_MS,
} from '#workflows/limits.js';
import { noteFiring, SUCCESS_LIFE_MS } from '#workflows/noted-successes.js';
import { isIdleForGood, isTimeForNextRun, nextWake, type RunFacts } from '#workflows/watch-schedule.js';
import { loadWatchState, MAX_STATE_BYTES, type WatchState } from '#workflows/watch-state.js';

const NOW = 100_000_000;
const HOLD = { sinceAt: NOW, problems: [], nextPauseMs: 0, isOver: false };
const RUN: RunFacts = {
  prunedAt: NOW,
  waiting: { items: 0, bytes: 0 },
  history: { events: 10, bytes: 1_000 },
  hasGapAhead: false,
  isCancelled: false,
  maxHistoryEvents: 600,
  idleCloseMs: 3_600_000,
};

let state: WatchState;
beforeEach(() => (state = loadWatchState({ tenant: 'default' }, NOW)));

describe('the watch wakes', () => {
  test('when it may close, if it has nothing to remember', () => {
    expect(nextWake(state, RUN, NOW)).toEqual({ at: NOW + 3_600_000, summary: 'closes if idle' });
    expect(nextWake(state, RUN, NOW + 9_000_000).at).toBe(NOW + 9_000_001);
  });

  test('at the first end of a cooldown', () => {
    cool(9_000);
    cool(5_000);

    expect(nextWake(state, RUN, NOW)).toEqual({ at: NOW + 5_000, summary: 'cooldown of r5000 ends' });
  });

  test.each([
    ['ended long ago', -60_000, PRUNE_STEP_MS],
    ['ends soon', 1, PRUNE_STEP_MS],
    ['ends later', PRUNE_STEP_MS + 1, PRUNE_STEP_MS + 1],
  ])('for a dedup window that %s, in steps', (_when, untilMs, afterMs) => {
    state.memory.dedups.set('d', { rule: 'r', action: 'a', untilAt: NOW + untilMs });

    expect(nextWake(state, RUN, NOW)).toEqual({ at: NOW + afterMs, summary: 'dedup windows end' });
  });

  test.each([
    ['long ago', NOW - SUCCESS_LIFE_MS, FORGET_STEP_MS],
    ['just now', NOW, SUCCESS_LIFE_MS],
  ])('to forget that a rule fired %s, in coarser steps', (_when, firedAt, afterMs) => {
    noteFiring(state, 's', firedAt);

    expect(nextWake(state, RUN, NOW)).toEqual({ at: NOW + afterMs, summary: 'forgets what is old' });
  });

  test('to continue as new in a quiet moment, when that is worth it and it holds nothing', () => {
    const grown = { ...RUN, history: { events: IDLE_HISTORY_EVENTS + 1, bytes: 0 } };

    expect(nextWake(state, grown, NOW).at).toBe(NOW + IDLE_AFTER_MS);
    expect(nextWake(state, { ...grown, history: { events: IDLE_HISTORY_EVENTS, bytes: 0 } }, NOW).at).toBe(
      NOW + RUN.idleCloseMs,
    );
    state.hold = HOLD;
    expect(nextWake(state, grown, NOW).at).toBe(Infinity);
  });

  test('for nothing while it is paused and remembers nothing', () => {
    state.pause = { sinceAt: NOW };

    expect(nextWake(state, RUN, NOW).at).toBe(Infinity);
  });
});

describe('the watch is idle for good', () => {
  test('when nothing has come for long enough', () => {
    expect(isIdleForGood(state, RUN, NOW + RUN.idleCloseMs - 1)).toBe(false);
    expect(isIdleForGood(state, RUN, NOW + RUN.idleCloseMs)).toBe(true);
  });

  test.each<[string, () => void]>([
    ['it is paused', () => (state.pause = { sinceAt: NOW })],
    ['it holds events', () => (state.hold = HOLD)],
    ['a cooldown is armed', () => cool(1)],
    ['a rule has fired', () => noteFiring(state, undefined, NOW)],
  ])('but not while %s', (_what, remember) => {
    remember();

    expect(isIdleForGood(state, RUN, NOW + RUN.idleCloseMs)).toBe(false);
  });

  test('but not while events wait', () => {
    expect(isIdleForGood(state, { ...RUN, waiting: { items: 1, bytes: 9 } }, NOW + RUN.idleCloseMs)).toBe(false);
  });
});

describe('it is time for the next run', () => {
  const GROWN = { ...RUN, history: { events: IDLE_HISTORY_EVENTS + 1, bytes: 0 } };
  const FULL = { ...RUN, history: { events: 600, bytes: 0 } };
  const WAITING = { items: 1, bytes: 9 };

  test.each<[string, RunFacts, number, boolean]>([
    ['not when the history is short', RUN, NOW, false],
    ['when it has the events it may have', FULL, NOW, true],
    ['when it has the bytes it may have', { ...RUN, history: { events: 1, bytes: MAX_HISTORY_BYTES } }, NOW, true],
    ['not when it has grown, and more may come at once', GROWN, NOW + IDLE_AFTER_MS - 1, false],
    ['when it has grown, and nothing has come for a while', GROWN, NOW + IDLE_AFTER_MS, true],
    ['when it has grown, and a sender pauses', { ...GROWN, hasGapAhead: true }, NOW, true],
    ['when it was cancelled', { ...RUN, isCancelled: true }, NOW, true],
    ['not when it has grown, and events wait', { ...GROWN, hasGapAhead: true, waiting: WAITING }, NOW, false],
    [
      'not when more waits than can be handed on',
      { ...FULL, waiting: { items: 9, bytes: MAX_STATE_BYTES } },
      NOW,
      false,
    ],
  ])('%s', (_when, run, now, isTime) => {
    expect(isTimeForNextRun(state, run, now)).toBe(isTime);
  });

  test('not while the pause lasts that came of a cancel', () => {
    state.pause = { sinceAt: NOW };

    expect(isTimeForNextRun(state, { ...RUN, isCancelled: true }, NOW)).toBe(false);
  });
});

function cool(ms: number): void {
  state.memory.cooldowns.set(`${ms}`, { rule: `r${ms}`, untilAt: NOW + ms, armedAt: NOW });
}
