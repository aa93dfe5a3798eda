import { beforeEach, expect, test } from 'vitest';
import type { MeshEvent } from '#contract/event.js';
import type { RuleFacts, RulesetFacts } from '#contract/matched.js';
import { openIncidents, resolveIncidents } from '#workflows/incidents.js';
import { judgeItem } from '#workflows/judge-item.js';
import { loadWatchState, type WatchState } from '#workflows/watch-state.js';
import { anEvent } from '../../support/builders.js';

const NOW = 1_000_000;
const RULE: RuleFacts = { id: 'r', mode: 'enforce', cooldownMs: 0, tells: true, actions: [] };
const TELLS = { name: 'tell', enabled: true, dedupWindowMs: 0 };

let state: WatchState;
beforeEach(() => {
  state = loadWatchState({ tenant: 'default' }, 0);
  state.memory.cooldowns.set('c', { rule: 'r', untilAt: NOW + 60_000, armedAt: NOW });
  const alert = { tenant: 'default', rule: 'r', team: 'ops', channel: 'pager', key: 'k', root: 'e' };
  openIncidents(state, { ...alert, session: 's', tool: 'Bash', resolveOn: 'tool', occurredAt: NOW - 9 }, NOW);
  const by = { event: 'PostToolUse', eventId: 'ok' };
  resolveIncidents(state, { session: 's', tool: 'Bash', occurredAt: NOW, at: NOW, by });
  expect(isOpen()).toBe(false);
});

// None of these starts anything, and what has broken is broken all the same.
test.each<[string, Partial<MeshEvent>, Partial<RulesetFacts>, Partial<RuleFacts>]>([
  ['cooldown', {}, {}, { actions: [TELLS] }],
  ['max-depth', { depth: 2 }, { maxChainDepth: 2 }, {}],
  ['rule-depth', { depth: 1 }, {}, { maxDepth: 1, actions: [TELLS] }],
  ['descendants', {}, { maxDescendants: 0 }, { actions: [{ ...TELLS, spawns: true }] }],
])('a failure that is refused as `%s` takes back that it works again', (code, event, ruleset, rule) => {
  if (code === 'descendants') state.memory.cooldowns.clear();

  judge({ session: 's', occurredAt: NOW + 5, ...event }, ruleset, rule);

  expect(state.verdicts.at(-1)).toMatchObject({ code });
  expect(isOpen()).toBe(true);
});

test.each<[string, Partial<MeshEvent>, Partial<RulesetFacts>, Partial<RuleFacts>]>([
  ['stale', { occurredAt: NOW + 1 }, { maxEventAgeMs: 3 }, {}],
  ['disabled', { occurredAt: NOW + 5 }, { enabled: false }, {}],
])('one that is refused as `%s` does not', (code, event, ruleset, rule) => {
  judge({ session: 's', ...event }, ruleset, rule);

  expect(state.verdicts.at(-1)).toMatchObject({ code });
  expect(isOpen()).toBe(false);
});

test('a task of a reporter without sessions works again before its delivery tells of the incident: it is resolved at once', () => {
  state = loadWatchState({ tenant: 'default' }, 0);
  const task = { payload: { task_id: 'T-9' } };
  judge({ ...task, id: 'failed', occurredAt: NOW }, {}, { actions: [TELLS] });
  judge({ ...task, id: 'ok', outcome: 'success', occurredAt: NOW + 1 }, {}, {}, { task: 'T-9' });

  const alert = { tenant: 'default', rule: 'r', team: 'ops', channel: 'pager', key: 'k', root: 'failed' };
  openIncidents(state, { ...alert, task: 'T-9', resolveOn: 'task', occurredAt: NOW }, NOW + 9);

  expect([...state.incidents.values()]).toMatchObject([{ task: 'T-9', resolved: { by: { eventId: 'ok' } } }]);
});

function judge(
  event: Partial<MeshEvent>,
  ruleset: Partial<RulesetFacts>,
  rule: Partial<RuleFacts>,
  works?: { task: string },
): void {
  const reported = anEvent({ payload: { tool_name: 'Bash' }, ...event });
  const matches = works ? [] : [{ rule: 'r', cooldownKey: 'c', dedupKeys: ['d'] }];
  const facts = {
    hash: 'h',
    source: 'f',
    enabled: true,
    maxChainDepth: 9,
    problems: [],
    rules: [{ ...RULE, ...rule }],
  };
  judgeItem(
    state,
    { kind: 'event', event: reported },
    { matches, missed: '', ...(works && { works }) },
    { ...facts, ...ruleset },
    NOW + 5,
  );
}

function isOpen(): boolean {
  return [...state.incidents.values()].some(({ resolved }) => resolved === undefined);
}
