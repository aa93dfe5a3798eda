import type { SpawnRequest } from '#contract/activities.js';
import { verifyLineage } from '#rules/lineage/verify.js';
import type { World } from '../../world.js';
import type { LeftoversOf } from '#adapters/process/leftovers.js';

export interface LeftBy {
  request: Pick<SpawnRequest, 'plan' | 'remediation'>;
  earlierSessions: readonly string[];
}

/** Found by what the environment of every attempt says. The token is of this mesh, and of no other, however old it is. */
export function leftoversOf(
  { request, earlierSessions }: LeftBy,
  { lineageKey: key }: Pick<World, 'lineageKey'>,
): LeftoversOf {
  const { id, event } = request.remediation;
  const isOurs = (token: string) => {
    const proof = verifyLineage(token, { key, tenant: event.tenant, now: 0 });
    return 'parent' in proof && proof.parent === id;
  };
  return { remediation: id, action: request.plan.name, earlierSessions, isOurs };
}
