import type { Launch, LaunchWorld } from './launch.js';

/** As long as the watch keeps in mind whose agent it was. */
const KNOWN_FOR_MS = 24 * 3_600_000;

/**
 * What the agent reports is then known to be its, even if its runtime forgets the lineage. `isAwaited`: the remediation wants to
 * hear of its end.
 */
export async function tellWatch(
  { request, lineage, session }: Launch,
  { workflows }: LaunchWorld,
  { agentId, isAwaited = false }: { agentId?: string | undefined; isAwaited?: boolean } = {},
): Promise<void> {
  const { plan, remediation } = request;
  const { depth, root, path, tenant } = lineage;
  await workflows.tellWatchOfAgents(tenant, [
    {
      ids: agentId === undefined ? [session] : [session, agentId],
      depth,
      root,
      path,
      remediation: remediation.id,
      action: plan.name,
      isAwaited,
      untilAt: Date.now() + KNOWN_FOR_MS,
    },
  ]);
}
