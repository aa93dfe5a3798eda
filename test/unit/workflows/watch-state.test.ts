import { describe, expect, test } from 'vitest';
import type { SavedWatch } from '../../../contract/watch.js';
import type { LoggedVerdict } from '../../../contract/verdict.js';
import { markSeen, MAX_SEEN_IDS } from '../../../rules/guards/seen.js';
import {
  byteLength,
  canSave,
  loadWatchState,
  MAX_STATE_BYTES,
  saveWatchState,
  type WatchState,
} from '../../../workflows/watch-state.js';

const NOW = 1_767_225_600_000;

describe('the state of a watch', () => {
  test('starts empty', () => {
    const state = loadWatchState({ tenant: 'team' }, NOW);

    expect(state).toMatchObject({ tenant: 'team', evicted: 0, verdicts: [], lastEventAt: NOW, runs: 1 });
    expect(state.memory.seen.size + state.memory.cooldowns.size + state.memory.dedups.size).toBe(0);
  });

  test('goes through JSON whole, and counts the run', () => {
    const state: WatchState = {
      ...fullState(),
      evicted: 3,
      pause: { sinceAt: NOW, reason: 'release' },
      ruleset: { hash: 'h', source: 's', problems: ['p'] },
      lastEventAt: NOW - 5,
      runs: 4,
    };

    const carried = reload(saveWatchState(state, []));

    expect(carried).toEqual({ ...state, runs: 5 });
  });

  test('keeps the order of seen ids, so that the oldest still goes first', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    for (let index = 0; index < MAX_SEEN_IDS; index++) markSeen(state.memory, `e-${index}`);

    const carried = reload(saveWatchState(state, []));
    markSeen(carried.memory, 'one more');
    markSeen(state.memory, 'one more');

    expect([...carried.memory.seen]).toEqual([...state.memory.seen]);
  });

  test('carries names that hold the marks its lists are parted by', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    state.memory.dedups.set('key-1', { rule: 'a rule, "quoted"', action: 'an action\n', untilAt: NOW + 5 });
    state.memory.dedups.set('key-2', { rule: 'a rule', action: ', "quoted" an action\n', untilAt: NOW + 6 });
    state.memory.cooldowns.set('key-3', { rule: '🔥 \ud83d', untilAt: NOW + 7, label: 'session=a b, c' });

    expect(reload(saveWatchState(state, [])).memory).toEqual(state.memory);
  });

  test('carries the inbox', () => {
    const inbox = [
      { kind: 'rearm' as const, rule: 'r' },
      { kind: 'event' as const, event: { id: 'x' }, pause: { sinceAt: 1 } },
    ];

    expect(saveWatchState(loadWatchState({ tenant: 'default' }, NOW), inbox).inbox).toEqual(inbox);
  });

  test('is not changed by saving it', () => {
    const state = fullState();

    saveWatchState(state, []);

    expect(state).toEqual(fullState());
  });
});

describe('the size of the state', () => {
  test('with 20,000 live dedup windows, 20,000 seen ids and 200 verdicts is at most 1.5 MB, and nothing is evicted', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    addDedups(state, 20_000);
    for (let index = 0; index < 20_000; index++) markSeen(state.memory, crypto.randomUUID());
    state.verdicts = Array.from({ length: 200 }, longVerdict);

    const saved = saveWatchState(state, []);

    expect(byteLength(saved)).toBeLessThanOrEqual(1_500_000);
    expect(saved.guards.evicted).toBe(0);
    expect(reload(saved).memory.dedups.size).toBe(20_000);
  });

  test('is held by evicting the windows nearest to expiry, and no more than needed', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    addDedups(state, 70_000);

    const saved = saveWatchState(state, []);

    const kept = reload(saved).memory.dedups;
    expect(byteLength(saved)).toBeLessThanOrEqual(MAX_STATE_BYTES);
    expect(byteLength(saved)).toBeGreaterThan(MAX_STATE_BYTES * 0.98);
    expect(saved.guards.evicted).toBe(70_000 - kept.size);
    expect(Math.min(...[...kept.values()].map(({ untilAt }) => untilAt))).toBe(NOW + saved.guards.evicted);
  });

  test('is held by evicting no more than needed when the windows are large ones', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    for (let index = 0; index < 20_000; index++) {
      const label = `session=${'x'.repeat(100)}`;
      state.memory.cooldowns.set(index.toString(36).padStart(16, '0'), { rule: 'a-rule', untilAt: NOW + index, label });
    }

    const saved = saveWatchState(state, []);

    expect(byteLength(saved)).toBeLessThanOrEqual(MAX_STATE_BYTES);
    expect(byteLength(saved)).toBeGreaterThan(MAX_STATE_BYTES * 0.98);
    expect(saved.guards.evicted).toBe(20_000 - reload(saved).memory.cooldowns.size);
  });

  test('what is only kept for people goes before any window does', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    addDedups(state, 20_000);
    for (let index = 0; index < 20_000; index++) markSeen(state.memory, crypto.randomUUID());
    const missed = [{ rule: '规则'.repeat(60), reason: '错'.repeat(120) }];
    state.verdicts = Array.from({ length: 200 }, (_, index) => ({ ...longVerdict(), eventId: `e-${index}`, missed }));
    const inbox = [{ kind: 'event' as const, event: { text: 'x'.repeat(490_000) } }];

    const saved = saveWatchState(state, inbox);

    expect(byteLength(saved)).toBeLessThanOrEqual(MAX_STATE_BYTES);
    expect(saved.guards.evicted).toBe(0);
    expect(saved.verdicts.at(-1)?.eventId).toBe('e-199');
    expect(saved.verdicts.every((verdict) => verdict.missed === undefined)).toBe(true);
  });

  test('counts what was evicted over all runs', () => {
    const state = { ...loadWatchState({ tenant: 'default' }, NOW), evicted: 7 };
    addDedups(state, 1_000);

    const saved = saveWatchState(state, [], 20_000);

    expect(saved.guards.evicted).toBeGreaterThan(7);
    expect(saved.guards.evicted).toBe(7 + 1_000 - reload(saved).memory.dedups.size);
  });

  test('never costs an event that waits', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    addDedups(state, 100);
    const inbox = Array.from({ length: 50 }, (_, index) => ({
      kind: 'event' as const,
      event: { id: `${index}`, text: 'x'.repeat(100) },
    }));

    const saved = saveWatchState(state, inbox, 2_000);

    expect(saved.inbox).toHaveLength(50);
    expect(saved.guards.evicted).toBe(100);
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

describe('byteLength', () => {
  test.each<[unknown, number]>([
    ['abc', 5],
    ['é', 4],
    ['🔥', 6],
    [{ a: 1 }, 7],
  ])('of %j is %d', (value, bytes) => {
    expect(byteLength(value)).toBe(bytes);
  });
});

function reload(saved: SavedWatch): WatchState {
  return loadWatchState({ tenant: 'default', saved: JSON.parse(JSON.stringify(saved)) as SavedWatch }, NOW);
}

function fullState(): WatchState {
  const state = loadWatchState({ tenant: 'default' }, NOW);
  addDedups(state, 10);
  state.memory.cooldowns.set('ck', { rule: 'r', untilAt: NOW + 1 });
  state.memory.cooldowns.set('cl', { rule: 'r', untilAt: NOW + 2, label: 'session=s' });
  markSeen(state.memory, 'a');
  markSeen(state.memory, 'b');
  state.counters = {
    events: 5,
    fired: 2,
    skipped: { dedup: 3 },
    rules: new Map([['r', { fired: 2, skipped: { dedup: 3 }, lastFiredAt: NOW }]]),
  };
  state.verdicts = [longVerdict()];
  state.chains.set('root', { root: 'root', remediations: 1, deepest: 0, lastAt: NOW });
  return state;
}

/** The nth window expires n ms from now. Keys are as long as real ones. */
function addDedups(state: WatchState, count: number): void {
  for (let index = 0; index < count; index++) {
    state.memory.dedups.set(index.toString(36).padStart(16, '0'), {
      rule: `rule-${index % 20}`,
      action: 'tell',
      untilAt: NOW + index,
    });
  }
}

function longVerdict(): LoggedVerdict {
  return {
    verdict: 'skip',
    code: 'no-match',
    reason: 'x'.repeat(400),
    at: NOW,
    eventId: 'e'.repeat(200),
    event: 'E'.repeat(128),
    depth: 0,
  };
}
