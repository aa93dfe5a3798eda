import { describe, expect, it } from 'vitest';
import { MeshConfig } from '#config/mesh-config.js';
import { ACTION_TYPES, defaultsOf } from '#contract/actions/index.js';
import { FAILURES } from '#contract/failures.js';
import { QUERIES, SEARCH_ATTRIBUTES, SIGNALS, WORKFLOW_TYPES } from '#contract/names.js';
import { ACTION_STATUSES } from '#contract/views/actions.js';
import { AGENT_VARIABLES, SETTINGS } from '#contract/settings.js';
import { CANONICAL } from '#contract/facts.js';
import { actionPage } from './action-rooms.js';
import { codesBelow, codesIn, readText, tableBelow } from './markdown.js';
import { fieldsOf } from './schema-fields.js';

const PAGE = 'docs/operations.md';

describe('docs/operations.md lists', () => {
  it('the settings with their defaults', () => {
    const rows = tableBelow(PAGE, 'Settings').map((row) => [
      codesIn(row['variable'])[0],
      codesIn(row['default'])[0] ?? '',
    ]);

    const settings = Object.entries(SETTINGS).map(([name, setting]) => [name, setting.default]);
    expect(rows).toEqual(settings);
  });

  it('the variables an agent gets', () => {
    expect(codesBelow(PAGE, 'What an agent gets', 'variable')).toEqual(Object.keys(AGENT_VARIABLES));
  });

  it('the sections of mesh.yaml, and the fields of those that belong to no action, with defaults', () => {
    const rows = new Map(tableBelow(PAGE, 'mesh.yaml').map((row) => [codesIn(row['field'])[0], row['default']]));
    const ofActions = ACTION_TYPES.flatMap((type) => codesBelow(actionPage(type), 'mesh.yaml', 'field'));
    const fields = fieldsOf(MeshConfig, true).filter(({ path }) => !path.includes('.') || !isOnPage(ofActions, path));

    expect([...rows.keys()].sort()).toEqual(fields.map(({ path }) => path).sort());
    for (const field of fields) {
      const shown = rows.get(field.path)?.replaceAll('`', '');
      if (field.isRequired) expect(shown, field.path).toBe('required');
      else expect(shown, field.path).not.toBe('required');
      if (field.default !== undefined && shown !== 'its defaults') expect(shown, field.path).toBe(field.default);
    }
  });

  it('the workflow types', () => {
    expect(codesBelow(PAGE, 'Reading the Temporal UI', 'type')).toEqual(Object.values(WORKFLOW_TYPES));
  });

  it('the statuses of an action', () => {
    expect(codesBelow(PAGE, 'Reading the Temporal UI', 'status', 1)).toEqual([...ACTION_STATUSES]);
  });

  it('the search attributes and their kinds', () => {
    const rows = tableBelow(PAGE, 'Search attributes').map((row) => [
      codesIn(row['name'])[0],
      row['kind']?.toUpperCase(),
    ]);

    expect(Object.fromEntries(rows)).toEqual(SEARCH_ATTRIBUTES);
  });

  it('the queries', () => {
    // Two workflows have a query of one name.
    expect([...new Set(codesBelow(PAGE, 'Queries', 'name'))]).toEqual(Object.values(QUERIES));
  });

  it('the signals', () => {
    expect(codesBelow(PAGE, 'Signals', 'name')).toEqual(Object.values(SIGNALS));
  });

  it('how each action is tried', () => {
    const number = (cell: string | undefined) => Number(cell?.replace(/[, ms]/g, ''));
    const rows = tableBelow(PAGE, 'Retries').map((row) => {
      const maxAttempts = row['attempts'] === 'no limit' ? {} : { maxAttempts: number(row['attempts']) };
      const waits = {
        initialIntervalMs: number(row['first wait']),
        maxIntervalMs: number(row['longest wait']),
      };
      return [codesIn(row['action'])[0], { timeoutMs: number(row['time limit']), retry: { ...maxAttempts, ...waits } }];
    });

    expect(rows).toEqual(ACTION_TYPES.map((type) => [type, defaultsOf(type)]));
  });

  it('the events that end an agent', () => {
    const section = readText(PAGE).split('## Ends of agents')[1]?.split('The outcome is')[0];

    expect(codesIn(section)).toEqual(expect.arrayContaining([...CANONICAL.ends]));
  });

  it('the failure types', () => {
    expect(codesBelow(PAGE, 'Failure types', 'type')).toEqual(Object.keys(FAILURES));
  });
});

/** The page of an action lists a field, one inside it, or the list that it is in. */
function isOnPage(listed: string[], path: string): boolean {
  return listed.some(
    (field) =>
      field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`) || path.startsWith(`${field}[].`),
  );
}
