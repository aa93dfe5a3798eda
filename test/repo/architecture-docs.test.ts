import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WORKFLOW_TYPES } from '#contract/names.js';
import * as limits from '#workflows/watch/limits.js';
import { KILL_POINTS } from '../support/kills/kill-points.js';
import { codesBelow, codesIn, readText, ROOT, tableBelow } from './markdown.js';

const PAGE = 'docs/architecture.md';

describe('docs/internals/numbers.md', () => {
  const rows = tableBelow('docs/internals/numbers.md', 'Numbers').map((row) => ({
    constant: codesIn(row['constant'])[0] ?? '',
    file: codesIn(row['file'])[0] ?? '',
    value: Number(row['value']?.replaceAll(',', '')),
  }));

  it.each(rows)('$constant of $file is $value', async ({ constant, file, value }) => {
    const module = (await import(`${ROOT}${file}`)) as Record<string, unknown>;

    expect(module[constant]).toBe(value);
  });

  it('lists every number of workflows/watch/limits.ts', () => {
    const listed = rows.filter(({ file }) => file === 'workflows/watch/limits.ts').map(({ constant }) => constant);

    expect(listed.sort()).toEqual(Object.keys(limits).sort());
  });
});

describe('docs/architecture.md', () => {
  it('is short enough to be read in one go, like the README', () => {
    expect(readText(PAGE).split('\n').length).toBeLessThanOrEqual(121);
    expect(readText('README.md').split('\n').length).toBeLessThanOrEqual(151);
  });

  it('lists the rooms', () => {
    const rooms = tableBelow(PAGE, 'Rooms').map((row) => codesIn(row['room'])[0]);
    expect(rooms.sort()).toEqual([
      'activities/',
      'adapters/',
      'client/',
      'config/',
      'contract/',
      'rules/',
      'worker/',
      'workflows/',
    ]);
  });

  it('lists the workflows, and says of each what it keeps', () => {
    expect(codesBelow(PAGE, 'Workflows', 'workflow')).toEqual(Object.values(WORKFLOW_TYPES));
    expect(tableBelow(PAGE, 'Workflows').filter((row) => !row['keeps'] || !row['ends'])).toEqual([]);
  });

  it.each(readdirSync(`${ROOT}docs/internals`))('the internals of %s are linked', (file) => {
    expect(readText(PAGE)).toContain(`(internals/${file})`);
  });

  it.each(readdirSync(`${ROOT}docs/adr`))('decision %s is linked', (file) => {
    expect(readText(PAGE)).toContain(`(adr/${file})`);
  });
});

it('docs/internals/kill-points.md lists the points at which the tests kill a worker', () => {
  const listed = codesBelow('docs/internals/kill-points.md', 'Kill points', 'point');
  expect(listed).toEqual(KILL_POINTS.map(({ name }) => name));
});
