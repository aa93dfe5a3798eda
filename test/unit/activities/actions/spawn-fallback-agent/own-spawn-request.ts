import { randomUUID } from 'node:crypto';
import type { SpawnRequest } from '#contract/activities.js';
import { type AskedOfAgent, aSpawnRequest } from '#test/support/spawn-activity.js';

/** Test files run at the same time, and the agents of one must not be left-overs to another. */
export const OWN_REMEDIATION = `remediation/default/r/${randomUUID()}`;

export function ownSpawnRequest({ remediation, ...more }: AskedOfAgent = {}): SpawnRequest {
  return aSpawnRequest({ remediation: { id: OWN_REMEDIATION, ...remediation }, ...more });
}
