import { expect, it } from 'vitest';
import { REASONS } from '#activities/actions/warm-remote-capacity/warm.js';
import { Bridge } from '#config/sections/bridge.js';
import { WarmRemoteCapacity } from '#contract/actions/warm-remote-capacity/schema.js';
import { ofEveryAction } from '#contract/actions/of-every-action.js';
import { contract, operations } from '../support/bridge-contract.js';
import { codeBlocksOf, codesBelow, readText, tableBelow } from './markdown.js';
import { fieldsOf } from './schema-fields.js';
import { parseMeshConfig, Policy } from '#config/mesh-config.js';

const PAGE = 'docs/actions/warm-remote-capacity.md';

it('lists the fields of the action that only it has, with defaults and limits', () => {
  const rows = tableBelow(PAGE, 'What a rule may say');
  const own = fieldsOf(WarmRemoteCapacity).filter(({ path }) => path !== 'type' && !Object.hasOwn(ofEveryAction, path));

  expect(rows.map((row) => row['field']?.replaceAll('`', '')).sort()).toEqual(own.map(({ path }) => path).sort());
  for (const { path, default: value, limits } of own) {
    const row = rows.find((one) => one['field'] === `\`${path}\``);
    if (value !== undefined) expect(row?.['default']).toBe(`\`${value}\``);
    expect(row?.['limits']).toBe(limits ?? '');
  }
});

it('lists every reason, in the words of the code', () => {
  const shown = codesBelow(PAGE, 'What happens, in order', 'reason or detail');
  const { preconditionsFailed, ...fixed } = REASONS;

  expect(shown).toEqual(expect.arrayContaining(Object.values(fixed)));
  expect(shown).toContain(preconditionsFailed(['<name> (<reason>)', '…']));
});

it('lists the fields of mesh.yaml', () => {
  const fields = [
    ...fieldsOf(Bridge).map(({ path }) => `bridge.${path}`),
    ...fieldsOf(Policy).map(({ path }) => `policy.${path}`),
  ];

  expect(codesBelow(PAGE, 'mesh.yaml', 'field').sort()).toEqual(fields.sort());
});

it('lists the calls of the contract', () => {
  expect(codesBelow(PAGE, 'The HTTP bridge', 'call').sort()).toEqual(operations.map(({ call }) => call).sort());
  expect(Object.keys(contract.paths).length).toBeGreaterThan(0);
});

it('shows configurations that are valid', () => {
  const shown = codeBlocksOf(readText(PAGE)).filter((block) => block.startsWith('bridge:'));

  expect(shown).toHaveLength(2);
  for (const block of shown) expect(parseMeshConfig(block, 'mesh.yaml')).toMatchObject({ ok: true });
});
