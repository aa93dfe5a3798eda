import { beforeEach, expect, test } from 'vitest';
import { noteRemediation, noteSpawn } from '#rules/guards/chains.js';
import { announceAgents } from '#workflows/watch-agents.js';
import { renderWatchDetails } from '#workflows/watch-details.js';
import { openIncidents, resolveIncidents } from '#workflows/incidents.js';
import { loadWatchState, type WatchState } from '#workflows/watch-state.js';
import { statusOf } from '#workflows/watch-status.js';

// What has no events in a test of a real watch: chains of agents, and incidents. See test/workflows/watch-life.test.ts.

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

let state: WatchState;
beforeEach(() => (state = loadWatchState({ tenant: 'default' }, NOW)));

function shown(): string {
  return renderWatchDetails(state, 0);
}

test('says nothing of agents and incidents where there are none', () => {
  noteRemediation(state.memory.chains, 'quiet', 0, NOW);

  expect(shown()).not.toMatch(/[Aa]gents|incidents/);
});

test('names the first events that led to the most agents, and how many may still report', () => {
  for (let index = 0; index < 7; index++) {
    for (let spawns = 0; spawns <= index; spawns++) noteSpawn(state.memory.chains, `e-${index}`, NOW);
    noteRemediation(state.memory.chains, `e-${index}`, 2, NOW);
  }
  const agent = { depth: 1, root: 'e-6', remediation: 'remediation/default/r/e-6', action: 'a' };
  announceAgents(
    state,
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

test('names open incidents and what ends them, as text that stays text', () => {
  const incident = {
    tenant: 'default',
    rule: 'r',
    team: 'ops',
    channel: 'pager',
    root: 'e',
    resolveOn: ['task', 'tool'],
  };
  openIncidents(state, [{ ...incident, key: 'k', task: 't`1', tool: '**Bash**' }], NOW);

  expect(shown()).toContain(
    '- `r` at `ops/pager` since 2026-01-02 03:04:05 UTC, until task `tˋ1` or tool `**Bash**` succeeds',
  );
});

test('says of an alert what it waits for when the trouble is over', () => {
  const incident = { rule: 'r', team: 'ops', channel: 'pager', key: 'k', root: 'e', tool: 'Bash', session: 's' };
  const firedFor = { session: 's' };
  state.memory.cooldowns.set('c', { rule: 'r', untilAt: NOW + 60_000, armedAt: NOW, firedFor });
  openIncidents(state, [{ ...incident, tenant: 'default', resolveOn: ['tool'] }], NOW);
  const by = { event: 'PostToolUse', eventId: 'ok' };

  resolveIncidents(state, { session: 's', tool: 'Bash', occurredAt: NOW, at: NOW, by });

  const since = '- `r` at `ops/pager` since 2026-01-02 03:04:05 UTC';
  const worksAgain = (when: string) => `${since}, works again, resolved when ${when}`;
  const resolvedWhen = 'the cooldown of the rule ends, 2026-01-02 03:05:05 UTC';
  expect(shown()).toContain(worksAgain(resolvedWhen));
  expect(statusOf(state, 0, 0).incidents).toMatchObject([{ worksAgain: true, resolvedWhen, resolveOn: ['tool'] }]);
  state.pause = { sinceAt: NOW };
  expect(shown()).toContain(worksAgain('the tenant is resumed'));
  state.pause = undefined;
  openIncidents(state, [{ ...incident, tenant: 'default', tool: 'Edit', resolveOn: ['tool'] }], NOW);
  expect(shown()).toContain(worksAgain('all else of its alert works too'));
  // Resumed, and events of the pause wait that may take it back.
  state.incidents = new Map([...state.incidents].filter(([, { tool }]) => tool === 'Bash'));
  state.memory.cooldowns.delete('c');
  expect(shown()).toContain(worksAgain('what waits is judged'));
});

test('of an incident that somebody has dated before there was time shows what can be shown', () => {
  const incident = { tenant: 'default', rule: 'r', team: 'ops', channel: 'pager', key: 'k', resolveOn: ['tool'] };
  openIncidents(state, [{ ...incident, tool: 'Bash', openedAt: -9e15 }], NOW);

  expect(shown()).toContain('- `r` at `ops/pager` since 1970-01-01 00:00:00 UTC, until tool `Bash` succeeds');
});

test('says what nobody will be told because there was too much of it', () => {
  expect(shown()).not.toContain('Dropped');

  state.dropped = { messages: 2, incidents: 1 };

  expect(shown()).toContain(
    '**Dropped** because there was too much of it: 2 messages that waited; 1 open incident, which people must resolve at the receiver',
  );
});

test('says until when a rule is quiet and what comes then, and how to act for this tenant', () => {
  state = loadWatchState({ tenant: 'acme' }, NOW);
  state.counters.rules.set('r', { fired: 1, skipped: { cooldown: 2 }, lastFiredAt: NOW });
  const suppressed = { events: 2, firstAt: NOW, lastAt: NOW, sessions: [], moreSessions: 0 };
  state.memory.cooldowns.set('k', { rule: 'r', untilAt: NOW + 60_000, armedAt: NOW, suppressed });

  expect(shown()).toContain(
    '- `r`: fired 1 time, last 2026-01-02 03:04:05 UTC; **cooling until 2026-01-02 03:05:05 UTC**, then a digest of 2 events; suppressed: 2 cooldown',
  );
  expect(shown()).toContain('`npx mesh rearm --tenant acme RULE`');
  expect(shown()).toContain('`npx mesh pause --tenant acme`');
});

test('tells whoever looks at a paused watch how to go on', () => {
  state.pause = { sinceAt: NOW, reason: 'maintenance' };

  expect(shown()).toContain('### Paused since 2026-01-02 03:04:05 UTC: `maintenance`');
  expect(shown()).toContain('- Go on: `npx mesh resume`');
});

test('has no walls of text for events that no rule wants', () => {
  const reason = 'no rule matches: a: trigger wants X; b: trigger wants Y';
  state.verdicts.push({ at: NOW, event: 'Stop', eventId: 'e-1', depth: 0, verdict: 'skip', code: 'no-match', reason });

  expect(shown()).toContain('- 03:04:05 `Stop` `e-1`: no rule matches\n');
});
