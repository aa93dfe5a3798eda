import { describe, expect, it } from 'vitest';
import { MeshConfig } from '#config/mesh-config.js';
import { Action, ACTION_TYPES, type ActionType } from '#contract/actions/index.js';
import { ofEveryAction } from '#contract/actions/of-every-action.js';
import { actionFolder, actionPage } from './action-rooms.js';
import { repositoryFiles } from './files.js';
import { codesBelow, codesIn, headingsOf, readText, tableBelow } from './markdown.js';
import { fieldsOf } from './schema-fields.js';

// An action is one folder with the same name and the same files in each room. docs/adding-an-action.md leads through them.

const FILES = repositoryFiles();

/** Where the folders of the actions are, and what each holds at least. */
const ROOMS: Record<string, string[]> = {
  'contract/actions': ['schema.ts'],
  'workflows/actions': ['run.ts'],
  'activities/actions': ['activity.ts', 'preview.ts'],
  'test/unit/activities/actions': ['.test.ts'],
};

describe.each(Object.entries(ROOMS))('%s', (room, needed) => {
  it('has a folder for each type of action, and no other', () => {
    const folders = FILES.flatMap((path) => (path.startsWith(`${room}/`) ? path.slice(room.length + 1) : []))
      .filter((path) => path.includes('/'))
      .map((path) => path.split('/')[0]);

    expect([...new Set(folders)].sort()).toEqual(ACTION_TYPES.map(actionFolder).sort());
  });

  it.each(ACTION_TYPES)(`has ${needed.join(', ')} for %s`, (type) => {
    const files = FILES.filter((path) => path.startsWith(`${room}/${actionFolder(type)}/`));

    expect(needed.filter((name) => !files.some((path) => isCalled(path, name)))).toEqual([]);
  });
});

function isCalled(path: string, name: string): boolean {
  return path.endsWith(name.startsWith('.') ? name : `/${name}`);
}

it('each type of action has a page, and there is no other page', () => {
  const pages = FILES.filter((path) => path.startsWith('docs/actions/'));

  expect(pages.sort()).toEqual(ACTION_TYPES.map(actionPage).sort());
});

describe.each(ACTION_TYPES)('the page of %s', (type) => {
  const page = actionPage(type);

  it('is linked from the rules and from operations', () => {
    const name = page.slice('docs/'.length);

    expect(readText('docs/rules.md')).toContain(`(${name})`);
    expect(readText('docs/operations.md')).toContain(`(${name}#meshyaml)`);
  });

  it('begins with the type', () => {
    expect(headingsOf(readText(page))[0]).toBe(type);
  });

  it('lists the fields of a rule that only this type has, with defaults and limits', () => {
    const rows = new Map(tableBelow(page, 'What a rule may say').map((row) => [codesIn(row['field'])[0], row]));
    const own = fieldsOf(schemaOf(type)).filter(({ path }) => path !== 'type' && !Object.hasOwn(ofEveryAction, path));

    expect([...rows.keys()].sort()).toEqual(own.map(({ path }) => path).sort());
    for (const field of own) {
      const shown = rows.get(field.path)?.['default'];
      if (field.isRequired) expect(shown, field.path).toBe('required');
      if (field.default !== undefined) expect(shown, field.path).toBe(`\`${field.default}\``);
      if (field.limits !== undefined) expect(rows.get(field.path)?.['limits'], field.path).toBe(field.limits);
    }
  });

  it('lists the fields of its sections of mesh.yaml, every one of them, with defaults', () => {
    const rows = new Map(tableBelow(page, 'mesh.yaml').map((row) => [codesIn(row['field'])[0] ?? '', row['default']]));
    const sections = new Set([...rows.keys()].map((field) => field.split('.')[0]));
    const fields = fieldsOf(MeshConfig, true).filter(({ path }) => sections.has(path.split('.')[0]));
    const leaves = fields.filter(({ path }) => !fields.some((other) => other.path.startsWith(`${path}.`)));

    expect(sections.size).toBeGreaterThan(0);
    expect(leaves.map(({ path }) => path).filter((path) => !isListed(rows, path))).toEqual([]);
    for (const { path, default: value } of fields) {
      const shown = rows.get(path);
      const isPlain = value !== undefined && !/^[[{]/.test(value);
      if (shown !== undefined && isPlain) expect(shown, path).toBe(`\`${value}\``);
    }
  });
});

it('the README leads to them', () => {
  const readme = readText('README.md');

  expect(ACTION_TYPES.filter((type) => !readme.includes(`(${actionPage(type)})`))).toEqual([]);
  expect(readme).toContain('(docs/adding-an-action.md)');
});

it('each section of mesh.yaml is on one page only', () => {
  const listed = ACTION_TYPES.flatMap((type) => codesBelow(actionPage(type), 'mesh.yaml', 'field'));

  expect(listed.filter((field, index) => listed.indexOf(field) !== index)).toEqual([]);
});

function schemaOf(type: ActionType): (typeof Action.options)[number] {
  const found = Action.options.find((option) => option.shape.type.value === type);
  if (!found) throw new Error(`no schema of ${type}`);
  return found;
}

/** By itself, or as part of something that has tables of its own. */
function isListed(rows: Map<string, string | undefined>, path: string): boolean {
  return rows.has(path) || [...rows.keys()].some((field) => path.startsWith(`${field}[].`));
}
