import type { Environment } from '#contract/settings.js';
import { MAX_TOKEN_CHARS } from '#rules/lineage/token.js';
import type { EventDefaults } from './event-input.js';

/** An agent that the mesh started finds its place in the chain in its environment, and so does what it reports. */
export function lineageDefaults(env: Environment): Pick<EventDefaults, 'tenant' | 'depth' | 'lineage'> {
  // An empty variable counts as one that is not set, as for all settings.
  const given = (name: string) => env[name] || undefined;
  const tenant = given('MESH_TENANT');
  return {
    ...(tenant !== undefined && { tenant }),
    ...placeFrom({
      depth: given('MESH_DEPTH'),
      root: given('MESH_ROOT_EVENT'),
      parent: given('MESH_REMEDIATION'),
      token: given('MESH_LINEAGE'),
    }),
  };
}

/** The same place, however an agent's runtime hands it on. */
export function placeFrom({ depth, root, parent, token }: WrittenPlace): Pick<EventDefaults, 'depth' | 'lineage'> {
  const lineage = {
    ...(root !== undefined && { root }),
    ...(root !== undefined && parent !== undefined && { parent }),
    // A longer one is not ours. Cut, it is refused where it is judged, and the event is not lost for it.
    ...(token !== undefined && { token: token.slice(0, MAX_TOKEN_CHARS) }),
  };
  return {
    ...(depth !== undefined && { depth: Number(depth) }),
    ...(Object.keys(lineage).length > 0 && { lineage }),
  };
}

type WrittenPlace = Record<'depth' | 'root' | 'parent' | 'token', string | undefined>;
