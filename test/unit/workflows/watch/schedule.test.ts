import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_HISTORY_BYTES } from '#workflows/limits.js';
import { FIRED_LIFE_MS } from '#workflows/watch/ledgers/alerts.js';
import { createLedgers, type Ledgers } from '#workflows/watch/ledgers/index.js';
import {
  FORGET_STEP_MS,
  IDLE_AFTER_MS,
  IDLE_HISTORY_EVENTS,
  MAX_STATE_BYTES,
  PRUNE_STEP_MS,
} from '#workflows/watch/limits.js';
import { canSave, isIdleForGood, isTimeForNextRun, nextWake, type RunFacts } from '#workflows/watch/schedule.js';

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

let ledgers: Ledgers;
beforeEach(() => (ledgers = createLedgers('default', NOW)));

describe('the watch wakes', () => {
  test('when it may close, if it has nothing to remember', () => {
    expect(nextWake(ledgers, RUN, NOW)).toEqual({ at: NOW + 3_600_000, summary: 'closes if idle' });
    expect(nextWake(ledgers, RUN, NOW + 9_000_000).at).toBe(NOW + 9_000_001);
  });

  test('at the first end of a cooldown', () => {
    cool(9_000);
    cool(5_000);

    expect(nextWake(ledgers, RUN, NOW)).toEqual({ at: NOW + 5_000, summary: 'cooldown of r5000 ends' });
  });

  test.each([
    ['ended long ago', -60_000, PRUNE_STEP_MS],
    ['ends soon', 1, PRUNE_STEP_MS],
    ['ends later', PRUNE_STEP_MS + 1, PRUNE_STEP_MS + 1],
  ])('for a dedup window that %s, in steps', (_when, untilMs, afterMs) => {
    ledgers.guards.dedups.set('d', { rule: 'r', action: 'a', untilAt: NOW + untilMs });

    expect(nextWake(ledgers, RUN, NOW)).toEqual({ at: NOW + afterMs, summary: 'dedup windows end' });
  });

  test.each([
    ['long ago', NOW - FIRED_LIFE_MS, FORGET_STEP_MS],
    ['just now', NOW, FIRED_LIFE_MS],
  ])('to forget that a rule fired %s, in coarser steps', (_when, firedAt, afterMs) => {
    noteFiring(firedAt);

    expect(nextWake(ledgers, RUN, NOW)).toEqual({ at: NOW + afterMs, summary: 'forgets what is old' });
  });

  test('to continue as new in a quiet moment, when that is worth it and it holds nothing', () => {
    const grown = { ...RUN, history: { events: IDLE_HISTORY_EVENTS + 1, bytes: 0 } };

    expect(nextWake(ledgers, grown, NOW).at).toBe(NOW + IDLE_AFTER_MS);
    expect(nextWake(ledgers, { ...grown, history: { events: IDLE_HISTORY_EVENTS, bytes: 0 } }, NOW).at).toBe(
      NOW + RUN.idleCloseMs,
    );
    ledgers.standing.hold = HOLD;
    expect(nextWake(ledgers, grown, NOW).at).toBe(Infinity);
  });

  test('for nothing while it is paused and remembers nothing', () => {
    ledgers.standing.pause = { sinceAt: NOW };

    expect(nextWake(ledgers, RUN, NOW).at).toBe(Infinity);
  });
});

describe('the watch is idle for good', () => {
  test('when nothing has come for long enough', () => {
    expect(isIdleForGood(ledgers, RUN, NOW + RUN.idleCloseMs - 1)).toBe(false);
    expect(isIdleForGood(ledgers, RUN, NOW + RUN.idleCloseMs)).toBe(true);
  });

  test.each<[string, () => void]>([
    ['it is paused', () => (ledgers.standing.pause = { sinceAt: NOW })],
    ['it holds events', () => (ledgers.standing.hold = HOLD)],
    ['a cooldown is armed', () => cool(1)],
    ['a rule has fired', () => noteFiring(NOW)],
  ])('but not while %s', (_what, remember) => {
    remember();

    expect(isIdleForGood(ledgers, RUN, NOW + RUN.idleCloseMs)).toBe(false);
  });

  test('but not while events wait', () => {
    expect(isIdleForGood(ledgers, { ...RUN, waiting: { items: 1, bytes: 9 } }, NOW + RUN.idleCloseMs)).toBe(false);
  });
});

describe('canSave', () => {
  test.each([
    [0, true],
    [500_000, true],
    [500_001, false],
  ])('with %d bytes of waiting events is %s', (bytes, can) => {
    expect(canSave(bytes)).toBe(can);
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
    expect(isTimeForNextRun(ledgers, run, now)).toBe(isTime);
  });

  test('not while the pause lasts that came of a cancel', () => {
    ledgers.standing.pause = { sinceAt: NOW };

    expect(isTimeForNextRun(ledgers, { ...RUN, isCancelled: true }, NOW)).toBe(false);
  });
});

function cool(ms: number): void {
  ledgers.guards.cooldowns.set(`${ms}`, { rule: `r${ms}`, untilAt: NOW + ms, armedAt: NOW });
}

/** For something that a success may end. */
function noteFiring(at: number): void {
  const rules = new Map([['r', { cooldownKey: 'c', mayOpen: true }]]);
  const broken = { tool: 'Bash', root: 'e', occurredAt: at, rules };
  const about = { id: 'e', event: 'E', depth: 0 };
  ledgers.alerts.learn?.({ at, about, verdicts: [], missed: [], fires: [], broken });
}
