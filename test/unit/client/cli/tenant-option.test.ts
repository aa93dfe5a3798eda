import { expect, test } from 'vitest';
import { tenantFrom, tenantOptions } from '#client/cli/tenant-option.js';

test.each([
  [{}, {}, 'default'],
  [{}, { MESH_TENANT: '' }, 'default'],
  [{}, { MESH_TENANT: 'team-a' }, 'team-a'],
  [{ tenant: 'team-b' }, { MESH_TENANT: 'team-a' }, 'team-b'],
])('options %j and environment %j mean %s', (options, env, tenant) => {
  expect(tenantFrom(options, env)).toBe(tenant);
});

test('says where a wrong name comes from', () => {
  expect(() => tenantFrom({}, { MESH_TENANT: 'Team' })).toThrow(
    /^MESH_TENANT: expected a tenant name: .+, found "Team"$/,
  );
  expect(() => tenantFrom({ tenant: '' }, {})).toThrow(/^--tenant: .+, found ""$/);
});

test('commands to copy name the tenant when it is not the default', () => {
  expect(tenantOptions('default')).toEqual([]);
  expect(tenantOptions('team-a')).toEqual(['--tenant', 'team-a']);
});
