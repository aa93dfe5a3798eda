import { Context } from '@temporalio/activity';
import type { MeshConfig } from '#config/mesh-config.js';
import type { ActionRequest, LaunchedAnswer, SpawnAnswer, SpawnRequest } from '#contract/activities.js';
import type { SpawnPlan } from '#contract/actions/spawn-fallback-agent/schema.js';
import type { AgentOutcome, StartedAgent } from '#contract/remediation.js';
import type { LeftoversOf } from '#adapters/process/leftovers.js';
import type { LineageClaims } from '#rules/lineage/claims.js';
import { verifyLineage } from '#rules/lineage/verify.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import { attempt } from '../../fail.js';
import type { World } from '../../world.js';
import type { Attempt } from './attempt.js';

/** All that a launcher needs to know of the one agent it is to start. */
export interface Launch {
  request: SpawnRequest;
  config: MeshConfig;
  redactor: Redactor;
  launcher: string;
  /** Of this launcher's agent: a launcher that is tried in the place of another starts one of its own. */
  effectKey: string;
  /** Session id chosen for the agent. */
  session: string;
  /** Those of the attempts before this one. */
  earlierSessions: string[];
  agentType: string;
  /** One line. */
  description: string;
  prompt: string;
  lineage: LineageClaims;
  /** The same, signed. */
  lineageToken: string;
  /** For the whole of the agent's work; the shorter one of the action's and the launcher's. */
  timeoutMs: number;
  /** When this attempt began, as `performance.now()` counts. */
  startedAt: number;
}

export type LaunchWorld = Pick<World, 'env' | 'outbound' | 'workflows' | 'agentWorkflows' | 'lineageKey'>;

/**
 * One way to start an agent. Notes in the attempt what becomes of it. Rejects with a failure, or with the cancellation when the
 * action is aborted.
 */
export type Launcher<A> = (launch: Launch, agent: A, attempt: Attempt, world: LaunchWorld) => Promise<SpawnAnswer>;

/** What is left of the time limit: what is done before an agent starts counts too, or the server would end the attempt first. */
export function leftMs({ timeoutMs, startedAt }: Launch): number {
  return Math.max(0, Math.floor(startedAt + timeoutMs - performance.now()));
}

export function agentOf(
  { launcher, session }: Launch,
  outcome: AgentOutcome,
  more: Pick<StartedAgent, 'id' | 'outputTail'> = {},
): StartedAgent {
  return { launcher, session, outcome, ...more };
}

export function answer(state: LaunchedAnswer['state'], agent: StartedAgent, detail: string): LaunchedAnswer {
  return { state, agent, detail, attempts: attempt() };
}

/** Found by what the environment of every attempt says. The token is of this mesh, and of no other, however old it is. */
export function leftoversOf(
  { plan, remediation }: Pick<ActionRequest<SpawnPlan>, 'plan' | 'remediation'>,
  earlierSessions: readonly string[],
  { lineageKey: key }: Pick<World, 'lineageKey'>,
): LeftoversOf {
  const { id, event } = remediation;
  const isOurs = (token: string) => {
    const proof = verifyLineage(token, { key, tenant: event.tenant, now: 0 });
    return 'parent' in proof && proof.parent === id;
  };
  return { remediation: id, action: plan.name, earlierSessions, isOurs };
}

/**
 * Whether nobody wants this action any more. Not so when only this worker stops, or when the server has given this attempt up
 * because it did not hear of it: the next attempt waits for the same agent. `notFound` says that too, so the remediation tells.
 */
export async function isAborted(workflows: Pick<World['workflows'], 'closedAt'>): Promise<boolean> {
  const {
    cancellationDetails,
    info: { workflowExecution },
  } = Context.current();
  if (cancellationDetails?.cancelRequested) return true;
  if (!cancellationDetails?.notFound || !workflowExecution) return false;
  const { workflowId, runId } = workflowExecution;
  // Where that cannot be said, an agent that goes on is better than one whose work is thrown away.
  return (await workflows.closedAt(workflowId, runId).catch(() => undefined)) !== undefined;
}
