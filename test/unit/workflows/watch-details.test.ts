import { beforeEach, expect, test } from 'vitest';
import { noteRemediation, noteSpawn } from '../../../rules/guards/chains.js';
import { announceAgents } from '../../../workflows/watch-agents.js';
import { renderWatchDetails } from '../../../workflows/watch-details.js';
import { openIncidents } from '../../../workflows/incidents.js';
import { loadWatchState, type WatchState } from '../../../workflows/watch-state.js';

// What has no events in a test of a real watch: chains of agents, and incidents. See test/workflows/watch-life.test.ts.

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

let state: WatchState;
beforeEach(() => (state = loadWatchState({ tenant: 'default' }, NOW)));

function shown(): string {
  return renderWatchDetails(state, undefined, 0);
}

test('says nothing of agents and incidents where there are none', () => {
  noteRemediation(state.memory.chains, 'quiet', 0, NOW);

  expect(shown()).not.toMatch(/agents|incidents/);
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
      '- `e-6`: 7 agents, 1 remediations, down to depth 2, last 2026-01-02 03:04:05 UTC',
      '- `e-5`: 6 agents, 1 remediations, down to depth 2, last 2026-01-02 03:04:05 UTC',
    ].join('\n'),
  );
  expect(shown()).not.toContain('`e-1`');
  expect(shown()).toContain('Agents that may still report: 2, of which 1 are waited for');
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
