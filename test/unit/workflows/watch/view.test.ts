import { beforeEach, expect, test } from 'vitest';
import type { LoggedVerdict } from '#contract/views/verdicts.js';
import type { RuleCounters } from '#contract/watch.js';
import { noteLed } from '#rules/guards/chains.js';
import { createInbox } from '#workflows/watch/inbox.js';
import type { Judged, Success } from '#workflows/watch/judged.js';
import { createLedgers, type Ledgers } from '#workflows/watch/ledgers/index.js';
import { renderDetails, statusOf } from '#workflows/watch/view.js';

// What has no events in a test of a real watch: chains of agents, and alerts. See test/workflows/watch-life.test.ts.

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

let ledgers: Ledgers;
beforeEach(() => (ledgers = createLedgers('default', NOW)));

function seen(tenant = 'default') {
  return { tenant, ledgers, inbox: createInbox([]) };
}

function shown(tenant?: string): string {
  return renderDetails(seen(tenant));
}

test('says nothing of agents and alerts where there are none', () => {
  noteLed(ledgers.guards.chains, { root: 'quiet', depth: 0, remediations: 1, spawns: 0 }, NOW);

  expect(shown()).not.toMatch(/[Aa]gents|alerts/);
});

test('names the first events that led to the most agents, and how many may still report', () => {
  for (let index = 0; index < 7; index++) {
    noteLed(ledgers.guards.chains, { root: `e-${index}`, depth: 2, remediations: 1, spawns: index + 1 }, NOW);
  }
  const agent = { depth: 1, root: 'e-6', remediation: 'remediation/default/r/e-6', action: 'a' };
  ledgers.agents.announce(
    [
      { ...agent, ids: ['one', 'two'], isAwaited: true },
      { ...agent, ids: ['three'] },
    ],
    NOW,
  );

  expect(shown()).toContain(
    [
      '- `e-6`: 7 agents in 1 remediation, down to depth 2, last 2026-01-02 03:04:05 UTC',
      '- `e-5`: 6 agents in 1 remediation, down to depth 2, last 2026-01-02 03:04:05 UTC',
    ].join('\n'),
  );
  expect(shown()).not.toContain('`e-1`');
  expect(shown()).toContain('2 agents may still report; a remediation waits for 1 of them.');
});

const ALERT = { tenant: 'default', rule: 'r', team: 'ops', channel: 'pager', root: 'e', key: 'k', resolveOn: 'tool' };

test('names open alerts and what closes them, as text that stays text', () => {
  ledgers.alerts.open([{ ...ALERT, tool: '**Bash**' }], NOW);
  ledgers.alerts.open([{ ...ALERT, key: 'k-2', resolveOn: 'task', task: 't`1', tool: 'Bash' }], NOW);

  const since = '- `r` at `ops/pager` since 2026-01-02 03:04:05 UTC';
  expect(shown()).toContain(`${since}, until task \`tˋ1\` succeeds\n${since}, until tool \`**Bash**\` succeeds`);
});

test('says of an alert what it waits for when the trouble is over', () => {
  ledgers.guards.cooldowns.set('c', { rule: 'r', untilAt: NOW + 60_000, armedAt: NOW });
  const work = { session: 's', tool: 'Bash', root: 'e', occurredAt: NOW };
  learn({ broken: { ...work, rules: new Map([['r', { cooldownKey: 'c', mayOpen: true }]]) } });
  ledgers.alerts.open([{ ...ALERT, session: 's', tool: 'Bash' }], NOW);
  const works: Success = { ...work, by: { event: 'PostToolUse', eventId: 'ok' } };

  learn({ works });

  const since = '- `r` at `ops/pager` since 2026-01-02 03:04:05 UTC';
  const worksAgain = (when: string) => `${since}, works again, resolved when ${when}`;
  const resolvedWhen = 'the cooldown of the rule ends, 2026-01-02 03:05:05 UTC';
  expect(shown()).toContain(worksAgain(resolvedWhen));
  expect(statusOf(seen(), 0).alerts).toMatchObject([{ worksAgain: true, resolvedWhen, tool: 'Bash' }]);
  ledgers.standing.pause = { sinceAt: NOW };
  expect(shown()).toContain(worksAgain('the tenant is resumed'));
  // Resumed, and events of the pause wait that may take it back.
  ledgers.standing.pause = undefined;
  ledgers.guards.cooldowns.delete('c');
  expect(shown()).toContain(worksAgain('what waits is judged'));
});

test('of an alert that somebody has dated before there was time shows what can be shown', () => {
  ledgers.alerts.open([{ ...ALERT, tool: 'Bash', openedAt: -9e15 }], NOW);

  expect(shown()).toContain('- `r` at `ops/pager` since 1970-01-01 00:00:00 UTC, until tool `Bash` succeeds');
});

test('says what nobody will be told because there was too much of it', () => {
  expect(shown()).not.toContain('Dropped');

  ledgers.notices.load({ waiting: [], dropped: 2 });
  ledgers.alerts.load({ open: [], fired: [], dropped: 1 });

  expect(shown()).toContain('**Dropped** because there was too much of it: 2 messages that waited');
  expect(shown()).toContain('1 open alert, which people must resolve at the receiver');
  expect(statusOf(seen(), 0).dropped).toEqual({ messages: 2, alerts: 1 });
});

test('says until when a rule is quiet and what comes then, and how to act for this tenant', () => {
  const rules: [string, RuleCounters][] = [['r', { fired: 1, skipped: { cooldown: 2 }, lastFiredAt: NOW }]];
  ledgers.verdicts.load({ log: [], counters: { events: 3, fired: 1, skipped: {}, rules } });
  const suppressed = { events: 2, firstAt: NOW, lastAt: NOW, sessions: [], moreSessions: 0 };
  ledgers.guards.cooldowns.set('k', { rule: 'r', untilAt: NOW + 60_000, armedAt: NOW, suppressed });

  expect(shown()).toContain(
    '- `r`: fired 1 time, last 2026-01-02 03:04:05 UTC; **cooling until 2026-01-02 03:05:05 UTC**, then a digest of 2 events; suppressed: 2 cooldown',
  );
  expect(shown('acme')).toContain('`npx mesh rearm --tenant acme RULE`');
  expect(shown('acme')).toContain('`npx mesh pause --tenant acme`');
});

test('tells whoever looks at a paused watch how to go on', () => {
  ledgers.standing.pause = { sinceAt: NOW, reason: 'maintenance' };

  expect(shown()).toContain('### Paused since 2026-01-02 03:04:05 UTC: `maintenance`');
  expect(shown()).toContain('- Go on: `npx mesh resume`');
});

test('names for whom a rule is cooling: another session may fire it', () => {
  const rules: [string, RuleCounters][] = [['r', { fired: 2, skipped: {} }]];
  ledgers.verdicts.load({ log: [], counters: { events: 2, fired: 2, skipped: {}, rules } });
  const cooling = (label: string, forMs: number) => ({ rule: 'r', untilAt: NOW + forMs, armedAt: NOW, label });
  ledgers.guards.cooldowns.set('a', cooling('session=dev-7', 60_000));
  ledgers.guards.cooldowns.set('b', cooling('session=dev-8', 30_000));

  expect(shown()).toContain('**cooling until 2026-01-02 03:05:05 UTC** for `session=dev-7` and 1 more');
});

test('shows the last ten events whole, with where they were and a line for each rule', () => {
  const event = (index: number) => ({
    ...{
      at: NOW + index,
      event: 'PostToolUseFailure',
      eventId: `e-${index}`,
      tool: 'Bash',
      session: 'dev-7',
      depth: 0,
    },
  });
  const log = Array.from({ length: 12 }, (_, index): LoggedVerdict[] => [
    { ...event(index), verdict: 'fire', rule: 'repair', action: 'agent' },
    { ...event(index), verdict: 'skip', code: 'dedup', reason: 'active', rule: 'repair', action: 'tell' },
    { ...event(index), verdict: 'skip', code: 'shadow', reason: 'would fire', rule: 'trial', action: 'tell' },
  ]).flat();
  ledgers.verdicts.load({ log, counters: { events: 12, fired: 12, skipped: {}, rules: [] } });

  const page = shown();
  expect(page).toContain(
    [
      '- 03:04:05 `PostToolUseFailure` `Bash` in `dev-7`, id `e-11`',
      '  - `repair`: **fired** (`agent`); dedup `active` (`tell`)',
      '  - `trial`: shadow `would fire` (`tell`)',
    ].join('\n'),
  );
  expect(page.match(/, id `e-/g)).toHaveLength(10);
  expect(page.match(/`trial`: shadow/g)).toHaveLength(10);
  expect(page).not.toContain('`e-1`');
});

test('has no walls of text for events that no rule wants', () => {
  const reason = 'no rule matches: a: trigger wants X; b: trigger wants Y';
  const counters = { events: 1, fired: 0, skipped: {}, rules: [] };
  ledgers.verdicts.load({
    log: [{ at: NOW, event: 'Stop', eventId: 'e-1', depth: 0, verdict: 'skip', code: 'no-match', reason }],
    counters,
  });

  expect(shown()).toContain('- 03:04:05 `Stop`, id `e-1`: no rule matches\n');
});

test('adds up what the ledgers say of themselves', () => {
  const { guards, tenant, paused, held, history } = statusOf(seen(), 7);

  expect(guards).toEqual({ cooldowns: [], dedups: [], live: { cooldowns: 0, dedups: 0 }, evicted: 0, seenIds: 0 });
  expect([tenant, paused, held, history]).toEqual(['default', null, null, { events: 7, runs: 1 }]);
});

function learn(judged: Partial<Judged>): void {
  const about = { id: 'e', event: 'E', depth: 0 };
  ledgers.alerts.learn?.({ at: NOW, about, verdicts: [], missed: [], fires: [], ...judged });
}
