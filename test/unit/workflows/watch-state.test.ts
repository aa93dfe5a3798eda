import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { OpenIncident } from '#contract/notification.js';
import { loadIncidents } from '#workflows/incidents.js';
import { byteLength } from '#workflows/byte-length.js';
import type { NotedSuccess } from '#workflows/noted-successes.js';
import type { SavedWatch } from '#workflows/saved-watch.js';
import type { LoggedVerdict } from '#contract/verdict.js';
import { noteAgent } from '#rules/guards/known-agents.js';
import { markSeen, MAX_SEEN_IDS } from '#rules/guards/seen.js';
import { canSave, loadWatchState, MAX_STATE_BYTES, saveWatchState, type WatchState } from '#workflows/watch-state.js';

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
      hold: { sinceAt: NOW - 9, problems: ['p'], nextPauseMs: 0, isOver: true },
      ruleset: { hash: 'h', source: 's', problems: ['p'] },
      configTrouble: { source: 'c', problems: ['p'], hasGoodVersion: true, sinceAt: NOW - 9, seenAt: NOW },
      lastEventAt: NOW - 5,
      runs: 4,
    };

    const carried = reload(saveWatchState(state, []));

    expect(carried).toEqual({ ...state, runs: 5 });
  });

  test('keeps of agents whose ids are whose, when one took over an id of another', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    const agent = { depth: 1, root: 'r', path: [], remediation: 'r', action: 'a', isAwaited: true, untilAt: NOW + 5 };
    noteAgent(state.memory.agents, { ...agent, ids: ['x', 'y'] }, NOW);
    noteAgent(state.memory.agents, { ...agent, ids: ['x'], depth: 2, remediation: 'other' }, NOW);

    const carried = reload(saveWatchState(reload(saveWatchState(state, [])), []));

    expect(['x', 'y'].map((id) => carried.memory.agents.get(id)?.depth)).toEqual([2, 1]);
  });

  test('keeps the order of seen ids, so that the oldest still goes first', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    for (let index = 0; index < MAX_SEEN_IDS; index++) markSeen(state.memory, `e-${index}`);

    const carried = reload(saveWatchState(state, []));
    markSeen(carried.memory, 'one more');
    markSeen(state.memory, 'one more');

    expect([...carried.memory.seen]).toEqual([...state.memory.seen]);
  });

  test('carries what cooldowns began with, and incidents that are over', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    const suppressed = { events: 1, firstAt: 1, lastAt: 1, sessions: ['s'], moreSessions: 0 };
    const cooldowns = state.memory.cooldowns;
    cooldowns.set('key-1', { rule: 'r', untilAt: NOW + 5, armedAt: NOW - 9, firedFor: { session: 's', task: 't' } });
    cooldowns.set('key-2', {
      rule: 'r',
      untilAt: NOW + 5,
      armedAt: NOW - 9,
      label: 'l',
      firedFor: { event: 'e' },
      suppressed,
    });
    const incident = { tenant: 'default', rule: 'r', team: 't', channel: 'c', key: 'k', remediation: '', root: 'e' };
    const resolved = { by: { event: 'Stop', eventId: 'e-2' }, occurredAt: NOW, at: NOW };
    state.incidents = loadIncidents([
      { ...incident, resolveOn: ['tool'], tool: 'Bash', openedAt: NOW, occurredAt: NOW, resolved },
    ]);

    const carried = reload(saveWatchState(state, []));

    expect(carried.memory).toEqual(state.memory);
    expect(carried.incidents).toEqual(state.incidents);
  });

  test('carries names that hold the marks its lists are parted by', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    state.memory.dedups.set('key-1', { rule: 'a rule, "quoted"', action: 'an action\n', untilAt: NOW + 5 });
    state.memory.dedups.set('key-2', { rule: 'a rule', action: ', "quoted" an action\n', untilAt: NOW + 6 });
    state.memory.cooldowns.set('key-3', {
      rule: '🔥 \ud83d',
      untilAt: NOW + 7,
      armedAt: NOW - 9,
      label: 'session=a b, c',
    });

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

  test('is held by keeping the last verdicts only, and all of the newest event as long as there is room', () => {
    const rowsOf = (eventId: string, count: number) =>
      Array.from({ length: count }, () => ({ ...longVerdict(), eventId, at: NOW }));
    const crowded = (maxBytes: number) => {
      const state = loadWatchState({ tenant: 'default' }, NOW);
      addDedups(state, 1_000);
      state.verdicts = [...rowsOf('old', 150), ...rowsOf('newest', 300)];
      const saved = saveWatchState(state, [], maxBytes);
      expect(saved.guards.evicted).toBe(0);
      return saved.verdicts.map(({ eventId }) => eventId);
    };
    const [row] = rowsOf('newest', 1);
    const rowBytes = byteLength(row);

    expect(crowded(rowBytes * 400)).toEqual(Array<string>(300).fill('newest'));
    expect(crowded(rowBytes * 200)).toEqual(Array<string>(20).fill('newest'));
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

  test('is found out without writing all windows again for each thing that goes', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    addDedups(state, 70_000);
    const windowsBytes = byteLength(saveWatchState(state, [], Infinity));
    const encode = vi.spyOn(TextEncoder.prototype, 'encode');
    onTestFinished(() => encode.mockRestore());

    saveWatchState(state, []);

    const encodedChars = encode.mock.calls.reduce((sum, [text = '']) => sum + text.length, 0);
    // Once to measure, once before and once after windows are dropped, and what each of them takes.
    expect(encodedChars).toBeLessThan(4 * windowsBytes);
  });

  test('is held by evicting no more than needed when the windows are large ones', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    for (let index = 0; index < 20_000; index++) {
      const label = `session=${'x'.repeat(100)}`;
      state.memory.cooldowns.set(index.toString(36).padStart(16, '0'), {
        rule: 'a-rule',
        untilAt: NOW + index,
        armedAt: NOW - 9,
        label,
      });
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

  test('what agents said whose end was told goes before all else, and their end stays', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    state.verdicts = [{ ...longVerdict(), missed: [{ rule: 'r', reason: 'another tool' }] }];
    for (let index = 0; index < 300; index++) {
      const names = { root: 'r', remediation: `r-${index}`, action: 'a', path: [] };
      const agent = { ...names, ids: [`s-${index}`], depth: 1, isAwaited: false, untilAt: NOW + 9 };
      noteAgent(state.memory.agents, agent, NOW).end = { outcome: 'failed', outputTail: '错'.repeat(2_000) };
    }

    const saved = saveWatchState(state, []);

    expect(saved.agents).toHaveLength(300);
    expect(saved.agents.every(({ end }) => end?.outcome === 'failed' && end.outputTail === undefined)).toBe(true);
    expect(saved.verdicts[0]?.missed).toHaveLength(1);
  });

  test('is held with a thousand agents, 200 ends and 500 incidents of the longest names, and what is newest stays', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    addDedups(state, 1_000);
    const long = (index: number) => `${index}-${'n'.repeat(900)}`;
    for (let index = 0; index < 1_000; index++) {
      const names = { root: long(index), remediation: long(index), action: long(index), path: [] };
      const agent = { ...names, ids: [long(index)], depth: 1, isAwaited: true, untilAt: NOW + 9 };
      noteAgent(state.memory.agents, agent, NOW).end = { outcome: 'success', outputTail: '错'.repeat(2_000) };
    }
    state.ends = Array.from({ length: 200 }, (_, index) => ({
      ids: [long(index)],
      outcome: 'success',
      outputTail: '错'.repeat(2_000),
      at: NOW,
    }));
    state.incidents = loadIncidents(Array.from({ length: 500 }, (_, index) => anIncident(long(index))));
    const successes = Array.from({ length: 200 }, (_, index) => aSuccess(long(index)));
    state.successes = new Map(successes.map((one) => [one.task ?? '', one]));

    const saved = saveWatchState(state, []);

    expect(byteLength(saved)).toBeLessThanOrEqual(MAX_STATE_BYTES);
    expect(saved.guards.evicted).toBe(0);
    expect(saved.agents.at(-1)).toMatchObject({ ids: [long(999)], end: { outcome: 'success' } });
    expect(saved.agents.some(({ end }) => end?.outputTail !== undefined)).toBe(false);
    expect(saved.incidents.at(-1)?.key).toBe(long(499));
    expect(saved.dropped.incidents).toBe(500 - saved.incidents.length);
    expect(saved.dropped.incidents).toBeGreaterThan(0);
    expect(saved.successes.at(-1)?.task).toBe(long(199));
    expect(byteLength(saved.successes)).toBeLessThan(51_000);
    expect(saved.ends.at(-1)).toEqual({ ids: [long(199)], outcome: 'success', at: NOW });
  });

  test('what evicted cooldowns kept quiet becomes messages, which go through continue-as-new', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    addDedups(state, 1_000);
    const suppressed = { events: 2, firstAt: NOW, lastAt: NOW, sessions: ['s'], moreSessions: 0 };
    state.memory.cooldowns.set('quiet', { rule: 'r', untilAt: NOW - 1, armedAt: NOW - 9, suppressed });

    const saved = saveWatchState(state, [], 20_000, NOW);

    expect(saved.guards.cooldowns).toEqual([]);
    expect(reload(saved).notices).toMatchObject([{ kind: 'digest', rule: 'r', at: NOW, suppressed }]);
    expect(byteLength(saved)).toBeLessThanOrEqual(20_000);
  });

  test('is held when every cooldown that must go has kept something quiet', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    const sessions = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(40));
    for (let index = 0; index < 5_000; index++) {
      const suppressed = { events: 99, firstAt: NOW, lastAt: NOW, sessions, moreSessions: 0 };
      state.memory.cooldowns.set(`key-${index}`, { rule: 'r', untilAt: NOW + index, armedAt: NOW - 9, suppressed });
    }

    const saved = saveWatchState(state, [], MAX_STATE_BYTES, NOW);

    expect(byteLength(saved)).toBeLessThanOrEqual(MAX_STATE_BYTES);
    expect(byteLength(saved)).toBeGreaterThan(MAX_STATE_BYTES * 0.9);
    expect(saved.notices.length).toBeGreaterThan(100);
    expect(saved.dropped.messages).toBe(saved.guards.evicted - saved.notices.length);
  });

  test('is held when too many messages wait for the end of a pause: digests go before good news, and are counted', () => {
    const state = loadWatchState({ tenant: 'default' }, NOW);
    const sessions = ['n'.repeat(900)];
    const suppressed = { events: 1, firstAt: NOW, lastAt: NOW, sessions, moreSessions: 0 };
    const told = { tenant: 'default', rule: 'r', at: NOW };
    const by = { event: 'Stop', eventId: 'x' };
    state.notices = [
      { ...told, kind: 'resolve', id: 'good news', incident: anIncident('k'), by },
      ...Array.from({ length: 300 }, (_, index) => ({ ...told, kind: 'digest' as const, id: `${index}`, suppressed })),
    ];

    const kept = saveWatchState(state, [], 250_000).notices;

    expect([kept.at(-1)?.id, kept.at(-2)?.id]).toEqual(['good news', '299']);
    expect(kept.length).toBeLessThan(301);
    expect(reload(saveWatchState(state, [], 250_000)).dropped).toEqual({ messages: 301 - kept.length, incidents: 0 });
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

function reload(saved: SavedWatch): WatchState {
  return loadWatchState({ tenant: 'default', saved: JSON.parse(JSON.stringify(saved)) as SavedWatch }, NOW);
}

function fullState(): WatchState {
  const state = loadWatchState({ tenant: 'default' }, NOW);
  addDedups(state, 10);
  state.memory.cooldowns.set('ck', { rule: 'r', untilAt: NOW + 1, armedAt: NOW - 9 });
  state.memory.cooldowns.set('cl', { rule: 'r', untilAt: NOW + 2, armedAt: NOW - 9, label: 'session=s' });
  markSeen(state.memory, 'a');
  markSeen(state.memory, 'b');
  state.counters = {
    events: 5,
    fired: 2,
    skipped: { dedup: 3 },
    rules: new Map([['r', { fired: 2, skipped: { dedup: 3 }, lastFiredAt: NOW }]]),
  };
  state.verdicts = [longVerdict()];
  noteAgent(
    state.memory.agents,
    {
      ids: ['session', 'agent'],
      depth: 1,
      root: 'root',
      path: ['r'],
      remediation: 'remediation/default/r/root',
      action: 'a',
      isAwaited: true,
      untilAt: NOW + 9,
    },
    NOW,
  ).end = { outcome: 'failed', outputTail: 'last words' };
  const suppressed = { events: 2, firstAt: NOW, lastAt: NOW, sessions: ['s'], moreSessions: 1, others: ['hash'] };
  state.memory.cooldowns.set('quiet', { rule: 'r', untilAt: NOW + 2, armedAt: NOW - 9, suppressed });
  state.ends = [{ ids: ['other'], outcome: 'success', outputTail: 'done', at: NOW }];
  state.incidents = loadIncidents([anIncident('key')]);
  for (const root of ['root', undefined]) {
    const success = { ...aSuccess('t'), ...(root !== undefined && { root }) };
    state.successes.set(JSON.stringify(['s', root ?? '', 't', '']), success);
  }
  state.sessionsWithFirings.set('hash', NOW);
  state.notices = [
    {
      kind: 'resolve',
      id: 'i',
      tenant: 'default',
      rule: 'r',
      at: NOW,
      incident: anIncident('k'),
      by: { event: 'e', eventId: 'x' },
    },
  ];
  state.memory.chains.set('root', { root: 'root', remediations: 1, deepest: 0, lastAt: NOW });
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

function aSuccess(task: string): NotedSuccess {
  return { session: 's', task, occurredAt: NOW, at: NOW, by: { event: 'TaskCompleted', eventId: 'x' } };
}

function anIncident(key: string): OpenIncident {
  const subject = { tenant: 'default', rule: 'r', remediation: 'remediation/default/r/e', root: 'root', task: 't' };
  return { ...subject, team: 'oncall', channel: 'pager', key, resolveOn: ['task'], openedAt: NOW, occurredAt: NOW };
}
