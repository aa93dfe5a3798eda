import { Context } from '@temporalio/activity';
import type { AgentNews, StartedAgent } from '#contract/remediation.js';
import type { Launch, LaunchWorld } from './launch.js';

// What the remediation and the watch are told of an agent. A remediation that does not hear of it goes on by itself after a
// while. Nothing of that is worth ending an agent for, so what tells the remediation never rejects.

/** Lets the next action of the remediation start while this agent works. */
export function tellLaunched(launch: Launch, agent: StartedAgent, world: LaunchWorld): Promise<void> {
  return tellRemediation(launch, { action: launch.request.plan.name, state: 'launched', agent }, world);
}

/**
 * The service or the server is about to be asked for an agent. Should the remediation be aborted between two attempts, only
 * this tells it that there may be one.
 */
export async function tellAsked(launch: Launch, expected: StartedAgent, world: LaunchWorld): Promise<void> {
  const news = { action: launch.request.plan.name, state: 'asked', agent: expected, attempt: attemptId() } as const;
  await tellRemediation(launch, news, world);
}

/** This attempt was not heard, or refused, and none before it may have started one. */
export function tellNotStarted(launch: Launch, world: LaunchWorld): Promise<void> {
  return tellRemediation(
    launch,
    { action: launch.request.plan.name, state: 'not-started', attempt: attemptId() },
    world,
  );
}

function tellRemediation({ request }: Launch, news: AgentNews, { workflows }: LaunchWorld): Promise<void> {
  return workflows.tellRemediation(request.remediation.id, news).catch(() => undefined);
}

function attemptId(): string {
  const { workflowExecution, activityId, attempt } = Context.current().info;
  return `${workflowExecution?.runId} ${activityId} ${attempt}`;
}

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
