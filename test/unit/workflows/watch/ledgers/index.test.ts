import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { OpenAlert } from '#contract/notification.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';
import { noteLed } from '#rules/guards/chains.js';
import { noteAgent } from '#rules/guards/known-agents.js';
import { markSeen, MAX_SEEN_IDS } from '#rules/guards/seen.js';
import { byteLength } from '#workflows/byte-length.js';
import type { InboxItem } from '#workflows/watch/inbox.js';
import { createLedgers, type Ledgers, loadLedgers } from '#workflows/watch/ledgers/index.js';
import { MAX_STATE_BYTES } from '#workflows/watch/limits.js';
import { openWatch, type SavedWatch, saveWatch } from '#workflows/watch/open-watch.js';

const NOW = 1_767_225_600_000;

describe('what the watch remembers', () => {
  test('goes through JSON whole, and counts the run', () => {
    const ledgers = fullLedgers();
    const saved = saveWatch(ledgers, []);

    const carried = saveWatch(reload(saved), []);

    expect(carried).toEqual({ ...JSON.parse(JSON.stringify(saved)), standing: { ...saved.standing, runs: 2 } });
    for (const [name, part] of Object.entries(saved)) {
      if (name !== 'inbox') expect([name, JSON.stringify(part)]).not.toEqual([name, JSON.stringify(emptyPart(name))]);
    }
  });

  test('starts the next run with a hold that has just ended, so that it asks for the rules at once', () => {
    const { hold } = reload(saveWatch(fullLedgers(), [])).standing;

    expect(hold).toEqual({ sinceAt: NOW - 9, problems: ['p'], nextPauseMs: 0, isOver: true });
  });

  test('keeps of agents whose ids are whose, when one took over an id of another', () => {
    const ledgers = createLedgers('default', NOW);
    const agent = { depth: 1, root: 'r', path: [], remediation: 'r', action: 'a', isAwaited: true, untilAt: NOW + 5 };
    noteAgent(ledgers.guards.agents, { ...agent, ids: ['x', 'y'] }, NOW);
    noteAgent(ledgers.guards.agents, { ...agent, ids: ['x'], depth: 2, remediation: 'other' }, NOW);

    const { guards } = reload(saveWatch(reload(saveWatch(ledgers, [])), []));

    expect(['x', 'y'].map((id) => guards.agents.get(id)?.depth)).toEqual([2, 1]);
  });

  test('keeps the order of seen ids, so that the oldest still goes first', () => {
    const { guards, ...ledgers } = createLedgers('default', NOW);
    for (let index = 0; index < MAX_SEEN_IDS; index++) markSeen(guards, `e-${index}`);

    const carried = reload(saveWatch({ guards, ...ledgers }, [])).guards;
    for (const memory of [carried, guards]) markSeen(memory, 'one more');

    expect([...carried.seen]).toEqual([...guards.seen]);
  });

  test('carries what windows began with, and names that hold the marks its lists are parted by', () => {
    const ledgers = createLedgers('default', NOW);
    const { cooldowns, dedups } = ledgers.guards;
    const suppressed = { events: 1, firstAt: 1, lastAt: 1, sessions: ['s'], moreSessions: 0 };
    const window = { rule: '🔥 \ud83d', untilAt: NOW + 5, armedAt: NOW - 9 };
    cooldowns.set('key-1', { ...window, firedFor: { session: 's', task: 't' } });
    cooldowns.set('key-2', { ...window, label: 'session=a b, c', firedFor: { event: 'e' }, suppressed });
    dedups.set('key-3', { rule: 'a rule, "quoted"', action: 'an action\n', untilAt: NOW + 5 });
    dedups.set('key-4', { rule: 'a rule', action: ', "quoted" an action\n', untilAt: NOW + 6 });

    expect(reload(saveWatch(ledgers, [])).guards).toEqual(ledgers.guards);
  });

  test('carries the inbox', () => {
    const inbox: InboxItem[] = [
      { kind: 'rearm', rule: 'r' },
      { kind: 'event', event: { id: 'x' }, pause: { sinceAt: 1 } },
    ];

    const saved = saveWatch(createLedgers('default', NOW), inbox);

    expect(openWatch({ tenant: 'default', saved }, NOW).inbox.items()).toEqual(inbox);
  });

  test('is not changed by saving it', () => {
    const ledgers = fullLedgers();
    const first = JSON.stringify(saveWatch(ledgers, []));

    expect(JSON.stringify(saveWatch(ledgers, []))).toBe(first);
  });
});

describe('the size of the state', () => {
  test('with 20,000 live dedup windows, 20,000 seen ids and 200 verdicts is at most 1.5 MB, and nothing is evicted', () => {
    const ledgers = createLedgers('default', NOW);
    addDedups(ledgers, 20_000);
    for (let index = 0; index < 20_000; index++) markSeen(ledgers.guards, crypto.randomUUID());
    logAll(ledgers, Array.from({ length: 200 }, longVerdict));

    const saved = saveWatch(ledgers, []);

    expect(byteLength(saved)).toBeLessThanOrEqual(1_500_000);
    expect(saved.windows.evicted).toBe(0);
    expect(reload(saved).guards.dedups.size).toBe(20_000);
  });

  test('is held by keeping the last verdicts only, and all of the newest event as long as there is room', () => {
    const rowsOf = (eventId: string, count: number) =>
      Array.from({ length: count }, () => ({ ...longVerdict(), eventId, at: NOW }));
    const crowded = (maxBytes: number) => {
      const ledgers = createLedgers('default', NOW);
      addDedups(ledgers, 1_000);
      logAll(ledgers, [...rowsOf('old', 150), ...rowsOf('newest', 300)]);
      const saved = saveWatch(ledgers, [], maxBytes);
      expect(saved.windows.evicted).toBe(0);
      return saved.verdicts.log.map(({ eventId }) => eventId);
    };
    const [row] = rowsOf('newest', 1);
    const rowBytes = byteLength(row);

    expect(crowded(rowBytes * 400)).toEqual(Array<string>(300).fill('newest'));
    expect(crowded(rowBytes * 200)).toEqual(Array<string>(20).fill('newest'));
  });

  test('is held by evicting the windows nearest to expiry, and no more than needed', () => {
    const ledgers = createLedgers('default', NOW);
    addDedups(ledgers, 70_000);

    const saved = saveWatch(ledgers, []);

    const kept = reload(saved).guards.dedups;
    expect(byteLength(saved)).toBeLessThanOrEqual(MAX_STATE_BYTES);
    expect(byteLength(saved)).toBeGreaterThan(MAX_STATE_BYTES * 0.98);
    expect(saved.windows.evicted).toBe(70_000 - kept.size);
    expect(Math.min(...[...kept.values()].map(({ untilAt }) => untilAt))).toBe(NOW + saved.windows.evicted);
  });

  test('is found out without writing all windows again for each thing that goes', () => {
    const ledgers = createLedgers('default', NOW);
    addDedups(ledgers, 70_000);
    const windowsBytes = byteLength(saveWatch(ledgers, [], Infinity));
    const encode = vi.spyOn(TextEncoder.prototype, 'encode');
    onTestFinished(() => encode.mockRestore());

    saveWatch(ledgers, []);

    const encodedChars = encode.mock.calls.reduce((sum, [text = '']) => sum + text.length, 0);
    // Once to measure, once after windows are dropped, and what each of them takes.
    expect(encodedChars).toBeLessThan(3 * windowsBytes);
  });

  test('is held by evicting no more than needed when the windows are large ones', () => {
    const ledgers = createLedgers('default', NOW);
    for (let index = 0; index < 20_000; index++) {
      const window = { rule: 'a-rule', untilAt: NOW + index, armedAt: NOW - 9, label: `session=${'x'.repeat(100)}` };
      ledgers.guards.cooldowns.set(index.toString(36).padStart(16, '0'), window);
    }

    const saved = saveWatch(ledgers, []);

    expect(byteLength(saved)).toBeLessThanOrEqual(MAX_STATE_BYTES);
    expect(byteLength(saved)).toBeGreaterThan(MAX_STATE_BYTES * 0.98);
    expect(saved.windows.evicted).toBe(20_000 - reload(saved).guards.cooldowns.size);
  });

  test('what is only kept for people goes before any window does', () => {
    const ledgers = createLedgers('default', NOW);
    addDedups(ledgers, 20_000);
    for (let index = 0; index < 20_000; index++) markSeen(ledgers.guards, crypto.randomUUID());
    const missed = [{ rule: '规则'.repeat(60), reason: '错'.repeat(120) }];
    logAll(
      ledgers,
      Array.from({ length: 200 }, (_, index) => ({ ...longVerdict(), eventId: `e-${index}`, missed })),
    );
    const inbox = [{ kind: 'event' as const, event: { text: 'x'.repeat(490_000) } }];

    const saved = saveWatch(ledgers, inbox);

    expect(byteLength(saved)).toBeLessThanOrEqual(MAX_STATE_BYTES);
    expect(saved.windows.evicted).toBe(0);
    expect(saved.verdicts.log.at(-1)?.eventId).toBe('e-199');
    expect(saved.verdicts.log.every((verdict) => verdict.missed === undefined)).toBe(true);
  });

  test('what agents said whose end was told goes before all else, and their end stays', () => {
    const ledgers = createLedgers('default', NOW);
    logAll(ledgers, [{ ...longVerdict(), missed: [{ rule: 'r', reason: 'another tool' }] }]);
    addAgents(ledgers, 300, (index) => `${index}`);

    const saved = saveWatch(ledgers, []);

    expect(saved.agents.known).toHaveLength(300);
    expect(saved.agents.known.every(({ end }) => end?.outcome === 'success' && end.outputTail === undefined)).toBe(
      true,
    );
    expect(saved.verdicts.log[0]?.missed).toHaveLength(1);
  });

  test('is held with a thousand agents, 200 ends and 500 alerts of the longest names, and what is newest stays', () => {
    const ledgers = createLedgers('default', NOW);
    addDedups(ledgers, 1_000);
    const long = (index: number) => `${index}-${'n'.repeat(900)}`;
    addAgents(ledgers, 1_000, long);
    const ends = Array.from({ length: 200 }, (_, index) => ({ ...ENDED, ids: [long(index)], at: NOW }));
    ledgers.agents.load({ known: [], ends });
    const open = Array.from({ length: 500 }, (_, index) => anAlert(long(index)));
    const fired = open.map((alert) => ({ ...alert, task: alert.key, firedAt: NOW }));
    ledgers.alerts.load({ open, fired, dropped: 0 });

    const saved = saveWatch(ledgers, []);

    expect(byteLength(saved)).toBeLessThanOrEqual(MAX_STATE_BYTES);
    expect(saved.windows.evicted).toBe(0);
    expect(saved.agents.known.at(-1)).toMatchObject({ ids: [long(999)], end: { outcome: 'success' } });
    expect(saved.agents.known.some(({ end }) => end?.outputTail !== undefined)).toBe(false);
    expect(saved.agents.ends.at(-1)).toEqual({ ids: [long(199)], outcome: 'success', at: NOW });
    expect(saved.alerts.open.at(-1)?.key).toBe(long(499));
    expect(saved.alerts.dropped).toBe(500 - saved.alerts.open.length);
    expect(saved.alerts.dropped).toBeGreaterThan(0);
    expect(byteLength(saved.alerts.fired)).toBeLessThan(51_000);
  });

  test('what evicted cooldowns kept quiet becomes messages, which go through continue-as-new', () => {
    const ledgers = createLedgers('default', NOW);
    addDedups(ledgers, 1_000);
    const suppressed = { events: 2, firstAt: NOW, lastAt: NOW, sessions: ['s'], moreSessions: 0 };
    ledgers.guards.cooldowns.set('quiet', { rule: 'r', untilAt: NOW - 1, armedAt: NOW - 9, suppressed });

    const saved = saveWatch(ledgers, [], 20_000, NOW);

    expect(saved.windows.cooldowns).toEqual([]);
    expect(reload(saved).notices.take(9)).toMatchObject([{ kind: 'digest', rule: 'r', at: NOW, suppressed }]);
    expect(byteLength(saved)).toBeLessThanOrEqual(20_000);
  });

  test('is held when every cooldown that must go has kept something quiet', () => {
    const ledgers = createLedgers('default', NOW);
    const sessions = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(40));
    for (let index = 0; index < 5_000; index++) {
      const suppressed = { events: 99, firstAt: NOW, lastAt: NOW, sessions, moreSessions: 0 };
      const window = { rule: 'r', untilAt: NOW + index, armedAt: NOW - 9, suppressed };
      ledgers.guards.cooldowns.set(`key-${index}`, window);
    }

    const saved = saveWatch(ledgers, [], MAX_STATE_BYTES, NOW);

    expect(byteLength(saved)).toBeLessThanOrEqual(MAX_STATE_BYTES);
    expect(byteLength(saved)).toBeGreaterThan(MAX_STATE_BYTES * 0.9);
    expect(saved.notices.waiting.length).toBeGreaterThan(100);
    expect(saved.notices.dropped).toBe(saved.windows.evicted - saved.notices.waiting.length);
  });

  test('counts what was evicted over all runs', () => {
    const ledgers = createLedgers('default', NOW);
    ledgers.windows.load({ cooldowns: [], dedups: [], evicted: 7 });
    addDedups(ledgers, 1_000);

    const saved = saveWatch(ledgers, [], 20_000);

    expect(saved.windows.evicted).toBeGreaterThan(7);
    expect(saved.windows.evicted).toBe(7 + 1_000 - reload(saved).guards.dedups.size);
  });

  test('never costs an event that waits', () => {
    const ledgers = createLedgers('default', NOW);
    addDedups(ledgers, 100);
    const inbox = Array.from({ length: 50 }, (_, index) => ({
      kind: 'event' as const,
      event: { id: `${index}`, text: 'x'.repeat(100) },
    }));

    const saved = saveWatch(ledgers, inbox, 2_000);

    expect(saved.inbox).toHaveLength(50);
    expect(saved.windows.evicted).toBe(100);
  });
});

function reload(saved: SavedWatch): Ledgers {
  return loadLedgers('default', JSON.parse(JSON.stringify(saved)) as SavedWatch, NOW);
}

function emptyPart(name: string): unknown {
  return (saveWatch(createLedgers('default', NOW), []) as unknown as Record<string, unknown>)[name];
}

const ENDED = { outcome: 'success' as const, outputTail: '错'.repeat(2_000) };

/** Something in each. */
function fullLedgers(): Ledgers {
  const ledgers = createLedgers('default', NOW);
  const { guards, standing, files, alerts, agents, notices } = ledgers;
  addDedups(ledgers, 10);
  guards.cooldowns.set('ck', { rule: 'r', untilAt: NOW + 1, armedAt: NOW - 9, label: 'session=s' });
  markSeen(guards, 'a');
  noteLed(guards.chains, { root: 'root', depth: 0, remediations: 1, spawns: 1 }, NOW);
  addAgents(ledgers, 1, String);
  agents.load({ known: [], ends: [{ ...ENDED, ids: ['other'], at: NOW }] });
  logAll(ledgers, [longVerdict()]);
  const success = { by: { event: 'Stop', eventId: 'x' }, occurredAt: NOW, at: NOW };
  alerts.load({
    open: [{ ...anAlert('k'), worksAgain: success }],
    fired: [{ ...anAlert('k'), firedAt: NOW }],
    dropped: 1,
  });
  notices.addResolved([{ alert: anAlert('k'), by: success.by }], NOW);
  files.note(
    { hash: 'h', source: 's', problems: ['p'], enabled: true, maxChainDepth: 1, rules: [], ruleIds: ['r'] },
    { source: 'c', problems: ['p'], hasGoodVersion: true },
    NOW,
  );
  standing.pause = { sinceAt: NOW, reason: 'release' };
  standing.hold = { sinceAt: NOW - 9, problems: ['p'], nextPauseMs: 5, isOver: false };
  return ledgers;
}

function addAgents({ guards }: Ledgers, count: number, nameOf: (index: number) => string): void {
  for (let index = 0; index < count; index++) {
    const name = nameOf(index);
    const names = { root: name, remediation: name, action: name, path: [], ids: [name] };
    noteAgent(guards.agents, { ...names, depth: 1, isAwaited: true, untilAt: NOW + 9 }, NOW).end = { ...ENDED };
  }
}

/** The nth window expires n ms from now. Keys are as long as real ones. */
function addDedups({ guards }: Ledgers, count: number): void {
  for (let index = 0; index < count; index++) {
    const window = { rule: `rule-${index % 20}`, action: 'tell', untilAt: NOW + index };
    guards.dedups.set(index.toString(36).padStart(16, '0'), window);
  }
}

function logAll({ verdicts }: Ledgers, log: LoggedVerdict[]): void {
  verdicts.load({ ...verdicts.save(), log });
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

function anAlert(key: string): OpenAlert {
  const subject = { tenant: 'default', rule: 'r', remediation: 'remediation/default/r/e', root: 'root', task: 't' };
  return { ...subject, team: 'oncall', channel: 'pager', key, resolveOn: 'task', openedAt: NOW, occurredAt: NOW };
}
