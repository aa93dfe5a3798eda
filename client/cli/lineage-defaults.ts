import type { Environment } from '../../contract/settings.js';
import { MAX_TOKEN_CHARS } from '../../rules/lineage/token.js';
import type { EventDefaults } from '../event-input.js';

/** An agent that the mesh started finds its place in the chain in its environment, and so does what it reports. */
export function lineageDefaults(env: Environment): Pick<EventDefaults, 'tenant' | 'depth' | 'lineage'> {
  // An empty variable counts as one that is not set, as for all settings.
  const given = (name: string) => env[name] || undefined;
  const tenant = given('MESH_TENANT');
  const depth = given('MESH_DEPTH');
  const root = given('MESH_ROOT_EVENT');
  const parent = given('MESH_REMEDIATION');
  // A longer one is not ours. Cut, it is refused where it is judged, and the event is not lost for it.
  const token = given('MESH_LINEAGE')?.slice(0, MAX_TOKEN_CHARS);
  const lineage = {
    ...(root !== undefined && { root }),
    ...(root !== undefined && parent !== undefined && { parent }),
    ...(token !== undefined && { token }),
  };
  return {
    ...(tenant !== undefined && { tenant }),
    ...(depth !== undefined && { depth: Number(depth) }),
    ...(Object.keys(lineage).length > 0 && { lineage }),
  };
}
