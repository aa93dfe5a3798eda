import type { Environment } from '../../contract/settings.js';
import type { EventDefaults } from '../event-input.js';

/** An agent that the mesh started finds its place in the chain in its environment, and so does what it reports. */
export function lineageDefaults(env: Environment): Pick<EventDefaults, 'tenant' | 'depth' | 'lineage'> {
  // An empty variable counts as one that is not set, as for all settings.
  const given = (name: string) => env[name] || undefined;
  const tenant = given('MESH_TENANT');
  const depth = given('MESH_DEPTH');
  const root = given('MESH_ROOT_EVENT');
  const parent = given('MESH_REMEDIATION');
  return {
    ...(tenant !== undefined && { tenant }),
    ...(depth !== undefined && { depth: Number(depth) }),
    ...(root !== undefined && { lineage: { root, ...(parent !== undefined && { parent }) } }),
  };
}
