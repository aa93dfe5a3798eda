import { beforeEach, describe, expect, test } from 'vitest';
import type { OpenAlert } from '#contract/notification.js';
import { type Cooldown, emptyMemory, type GuardMemory } from '#rules/guards/memory.js';
import {
  ALERT_LIFE_MS,
  type Alerts,
  createAlerts,
  FIRED_LIFE_MS,
  MAX_ALERTS,
  MAX_FIRED,
  type OverAlert,
} from '#workflows/watch/ledgers/alerts.js';
import { createStanding, type Standing } from '#workflows/watch/ledgers/standing.js';
import type { Failure, Judged, Success } from '#workflows/watch/judged.js';

const NOW = 1_000_000_000;
const ALERT: OpenAlert = {
  tenant: 'default',
  rule: 'r',
  team: 'oncall',
  channel: 'pager',
  key: 'k',
  remediation: 'remediation/default/r/e',
  root: 'e',
  session: 's',
  task: 't-1',
  tool: 'Bash',
  resolveOn: 'tool',
  openedAt: NOW,
  occurredAt: NOW - 9_000,
};
const OF_TASK: OpenAlert = { ...ALERT, resolveOn: 'task' };
const BY = { event: 'PostToolUse', eventId: 'ok' };

let memory: GuardMemory;
let standing: Standing;
let alerts: Alerts;
beforeEach(() => {
  memory = emptyMemory();
  standing = createStanding(NOW);
  alerts = createAlerts('default', memory, standing);
});

describe('a success', () => {
  test('of its subject closes an alert, once', () => {
    open(ALERT);

    succeed({ tool: 'Bash' });
    expect(over()).toEqual([{ alert: ALERT, by: BY }]);
    succeed({ tool: 'Bash' });
    expect([over(), alerts.list()]).toEqual([[], []]);
  });

  test.each<[string, OpenAlert, Partial<Success>]>([
    ['of the tool, with another task', ALERT, { tool: 'Bash', task: 't-2' }],
    ['of the task, elsewhere in its chain', OF_TASK, { task: 't-1', session: 'x', root: 'e' }],
    ['of the task, by the tool that failed for it', OF_TASK, { task: 't-1', tool: 'Bash' }],
    ['as old as the failure', ALERT, { tool: 'Bash', occurredAt: NOW - 9_000 }],
    ['of a reporter without sessions', { ...OF_TASK, session: undefined }, { task: 't-1', session: undefined }],
  ])('%s closes it', (_what, alert, works) => {
    open(alert);
    succeed(works);
    expect(over()).toHaveLength(1);
  });

  test.each<[string, OpenAlert, Partial<Success>]>([
    ['of another tool', ALERT, { tool: 'Edit', task: 't-1' }],
    ['of another tool that works for the task', OF_TASK, { tool: 'Edit', task: 't-1' }],
    ['of the tool, for an alert about a task', OF_TASK, { tool: 'Bash' }],
    ['of the task, for an alert about a tool', ALERT, { task: 't-1' }],
    ['of the tool in another session of its chain', ALERT, { tool: 'Bash', session: 'x', root: 'e' }],
    ['of the task in another session and chain', OF_TASK, { task: 't-1', session: 'x' }],
    ['without a session', OF_TASK, { task: 't-1', session: undefined }],
    ['from before the failure, told late', ALERT, { tool: 'Bash', occurredAt: NOW - 9_001 }],
  ])('%s does not', (_what, alert, works) => {
    open(alert);
    succeed(works);
    expect([over(), alerts.list().length]).toEqual([[], 1]);
  });

  test('closes every alert about its subject, whatever rule and receiver', () => {
    open(
      ALERT,
      { ...ALERT, channel: 'other' },
      { ...ALERT, key: 'k2', rule: 'q' },
      { ...ALERT, key: 'k3', tool: 'Edit' },
    );

    succeed({ tool: 'Bash' });

    expect(over()).toHaveLength(3);
    expect(alerts.list()).toMatchObject([{ key: 'k3' }]);
  });
});

describe('a failure', () => {
  test('of the same takes back that it works again, until it does once more', () => {
    standing.pause = { sinceAt: NOW };
    open(ALERT);
    succeed({ tool: 'Bash' });
    fail({ tool: 'Bash', occurredAt: NOW + 10 });
    standing.pause = undefined;
    expect(over()).toEqual([]);

    succeed({ tool: 'Bash', occurredAt: NOW + 9 });
    expect(over()).toEqual([]);
    succeed({ tool: 'Bash', occurredAt: NOW + 11 });
    expect(over()).toHaveLength(1);
  });

  test.each<[string, Partial<Failure>]>([
    ['of another tool', { tool: 'Edit' }],
    ['in another session', { tool: 'Bash', session: 'x' }],
    ['that another rule met', { tool: 'Bash', rules: new Map([['q', { cooldownKey: 'c', mayOpen: true }]]) }],
    ['from before the success, told late', { tool: 'Bash', occurredAt: NOW }],
  ])('%s takes nothing back', (_what, failure) => {
    standing.pause = { sinceAt: NOW };
    open(ALERT);
    succeed({ tool: 'Bash' });
    fail({ occurredAt: NOW + 10, ...failure });
    standing.pause = undefined;

    expect(over()).toHaveLength(1);
  });

  test('during a pause counts whatever rule it is of, since none is asked', () => {
    standing.pause = { sinceAt: NOW };
    open(ALERT);
    succeed({ tool: 'Bash' });
    fail({ tool: 'Bash', occurredAt: NOW + 10, rules: 'any' });
    standing.pause = undefined;

    expect(over()).toEqual([]);
  });

  test('of the task with another tool is of the same task: then a success of that tool counts', () => {
    open(OF_TASK);
    fail({ task: 't-1', tool: 'Edit', occurredAt: NOW + 1 });

    succeed({ task: 't-1', tool: 'Bash', occurredAt: NOW + 2 });
    expect(over()).toEqual([]);
    succeed({ task: 't-1', tool: 'Edit', occurredAt: NOW + 2 });
    expect(over()).toHaveLength(1);
  });
});

describe('before a delivery tells of an alert, its subject', () => {
  test.each([
    ['task', 't-1'],
    ['tool', 'Bash'],
  ] as const)('may work again: then it is closed at once, by its %s', (resolveOn, name) => {
    fire({ task: 't-1', tool: 'Bash', occurredAt: NOW - 9_000 });
    succeed({ [resolveOn]: name, occurredAt: NOW - 8_000 });

    open({ ...ALERT, resolveOn });

    expect(over()).toHaveLength(1);
    open({ ...ALERT, resolveOn, openedAt: NOW - 5 });
    expect(over()).toMatchObject([{ alert: { openedAt: NOW - 5 } }]);
  });

  test('may have failed again after that: then it stays open', () => {
    fire({ tool: 'Bash', occurredAt: NOW - 9_000 });
    succeed({ tool: 'Bash', occurredAt: NOW - 8_000 });
    fail({ tool: 'Bash', occurredAt: NOW - 7_000 });

    open(ALERT);

    expect([over(), alerts.list()]).toMatchObject([[], [{ occurredAt: NOW - 7_000 }]]);
  });

  test('is not known where its rule tells nobody: a success is nothing to remember then', () => {
    fire({ tool: 'Bash', occurredAt: NOW - 9_000 }, false);
    succeed({ tool: 'Bash', occurredAt: NOW - 8_000 });

    open(ALERT);

    expect(over()).toEqual([]);
  });

  test('is remembered for a day, and one of so many', () => {
    fire({ tool: 'Bash' });
    expect(alerts.due?.()).toMatchObject([{ at: NOW + 1 + FIRED_LIFE_MS }]);
    alerts.prune?.(NOW + 1 + FIRED_LIFE_MS);
    expect(alerts.due?.()).toEqual([]);

    for (let index = 0; index <= MAX_FIRED; index++) fire({ tool: `tool-${index}` });
    expect(alerts.save().fired).toHaveLength(MAX_FIRED);
    expect(alerts.save().dropped).toBe(0);
  });

  test('of two failures that are told in any order the later one holds', () => {
    for (const occurredAt of [NOW - 1_000, NOW - 9_000]) open({ ...ALERT, occurredAt });

    expect(alerts.list()).toMatchObject([{ occurredAt: NOW - 1_000 }]);
  });
});

describe('while a cooldown lives that would keep the next failure quiet', () => {
  beforeEach(() => {
    cool('c', { armedAt: NOW - 9_000 });
    fire({ tool: 'Bash', occurredAt: NOW - 9_000 });
    open(ALERT);
  });

  test('nothing is closed, since the same trouble would open nothing; it is closed when the cooldown ends', () => {
    succeed({ tool: 'Bash' });

    expect(over(NOW + 59_999)).toEqual([]);
    expect(alerts.show?.().alerts).toMatchObject([
      { worksAgain: true, resolvedWhen: expect.stringContaining('cooldown') },
    ]);
    expect([alerts.hasOver(NOW + 60_000), over(NOW + 60_000)]).toEqual([true, [{ alert: ALERT, by: BY }]]);
  });

  test('it is closed at once when an operator ends the cooldown', () => {
    succeed({ tool: 'Bash' });
    memory.cooldowns.clear();

    expect(over()).toHaveLength(1);
  });

  test('a cooldown of other values, or one that began after the success, holds nothing', () => {
    cool('other', { armedAt: NOW - 9_000, untilAt: NOW + 90_000 });
    succeed({ tool: 'Bash' });
    cool('c', { armedAt: NOW + 2, untilAt: NOW + 90_000 });

    expect(over(NOW + 3)).toHaveLength(1);
  });

  test('the one that the last failure fell under counts', () => {
    cool('later', { armedAt: NOW - 1, untilAt: NOW + 90_000 });
    fail({ tool: 'Bash', occurredAt: NOW - 1, rules: new Map([['r', { cooldownKey: 'later', mayOpen: false }]]) });
    succeed({ tool: 'Bash' });

    expect([over(NOW + 60_000), over(NOW + 90_000).length]).toEqual([[], 1]);
  });
});

describe('open alerts', () => {
  test('are known once for each receiver and key', () => {
    open(ALERT, { ...ALERT, channel: 'other' });
    open({ ...ALERT, openedAt: NOW - 5 });

    expect(alerts.list().map(({ channel, openedAt }) => [channel, openedAt])).toEqual([
      ['other', NOW],
      ['pager', NOW - 5],
    ]);
  });

  test('are so many at most; the oldest go, and are counted', () => {
    for (let index = 0; index <= MAX_ALERTS; index++) open({ ...ALERT, key: `k-${index}` });

    expect([alerts.list().length, alerts.list()[0]?.key]).toEqual([MAX_ALERTS, 'k-1']);
    expect(alerts.show?.().dropped).toEqual({ alerts: 1 });
  });

  test('by the hundreds cost an event little, also where it is about each of them', () => {
    for (let index = 0; index < MAX_ALERTS; index++) open({ ...ALERT, key: `k-${index}` });

    const before = process.cpuUsage();
    for (let index = 0; index < 500; index++) fire({ tool: 'Bash', occurredAt: NOW + index });
    const { user } = process.cpuUsage(before);

    expect(alerts.list().map(({ occurredAt }) => occurredAt)).toEqual(Array(MAX_ALERTS).fill(NOW + 499));
    // Temporal ends a worker that takes five seconds for a batch.
    expect(user / 1_000).toBeLessThan(1_000);
  });

  test('are forgotten after a week; those that work again are kept until their receivers are told', () => {
    standing.pause = { sinceAt: NOW };
    open(ALERT, { ...ALERT, key: 'other', tool: 'Edit' });
    succeed({ tool: 'Bash' });
    expect(alerts.due?.()).toMatchObject([{ at: NOW + ALERT_LIFE_MS }]);

    alerts.prune?.(NOW + ALERT_LIFE_MS - 1);
    expect(alerts.list()).toHaveLength(2);
    alerts.prune?.(NOW + ALERT_LIFE_MS);
    expect([alerts.list(), alerts.due?.()]).toMatchObject([[{ key: 'k' }], []]);
  });

  test('go through continue-as-new with all that is known of them', () => {
    cool('c', { armedAt: NOW - 9_000 });
    fire({ tool: 'Bash', occurredAt: NOW - 9_000 });
    open(ALERT);
    succeed({ tool: 'Bash' });
    const saved = JSON.parse(JSON.stringify(alerts.save())) as ReturnType<Alerts['save']>;

    alerts = createAlerts('default', memory, standing);
    alerts.load(saved);

    expect(alerts.save()).toEqual(saved);
    expect([over(NOW + 59_999), over(NOW + 60_000)]).toEqual([[], [{ alert: ALERT, by: BY }]]);
  });

  test.each([
    ['in the future', NOW * 2, NOW],
    ['before there was time', -9e15, 0],
  ])('are not opened %s', (_when, openedAt, kept) => {
    open({ ...ALERT, openedAt });

    expect(alerts.list()[0]?.openedAt).toBe(kept);
  });

  test('that somebody signals by hand, who does not say when they began, began when they were opened', () => {
    const { occurredAt: _unknown, ...byHand } = ALERT;
    open(byHand);

    expect(alerts.list()[0]?.occurredAt).toBe(NOW);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'alert'],
    ['one of another tenant', { ...ALERT, tenant: 'acme' }],
    ['one that nothing closes', { ...ALERT, resolveOn: 'never' }],
    ['one that does not name what closes it', { ...ALERT, tool: undefined }],
    ['one without a key', { ...ALERT, key: '' }],
  ])('refuses %s, and says what it wants', (_what, argument) => {
    expect(alerts.open(argument, NOW)).toContain('expected a list of alerts');

    expect(alerts.list()).toEqual([]);
  });
});

function open(...told: unknown[]): void {
  expect(alerts.open(told, NOW)).toBeUndefined();
}

function succeed(works: Partial<Success>): void {
  learn({ works: { session: 's', root: 'another', occurredAt: NOW + 1, by: BY, ...works } });
}

function fail(failure: Partial<Failure>): void {
  const rules = new Map([['r', { cooldownKey: 'c', mayOpen: false }]]);
  learn({ broken: { session: 's', root: 'another', occurredAt: NOW, rules, ...failure } });
}

/** A rule has fired for it. */
function fire(failure: Partial<Failure>, mayOpen = true): void {
  fail({ ...failure, rules: new Map([['r', { cooldownKey: 'c', mayOpen }]]) });
}

function learn(judged: Partial<Judged>): void {
  const about = { id: 'x', event: 'E', depth: 0 };
  alerts.learn?.({ at: NOW + 1, about, verdicts: [], missed: [], fires: [], ...judged });
}

function over(now = NOW + 1): OverAlert[] {
  return alerts.takeOver(now);
}

function cool(key: string, cooldown: Partial<Cooldown>): void {
  memory.cooldowns.set(key, { rule: 'r', untilAt: NOW + 60_000, armedAt: NOW, ...cooldown });
}
