import type { Agent } from '#config/sections/agents.js';
import type { ActionPlan } from '#contract/actions/index.js';
import type { OnlyIf } from '#contract/actions/of-every-action.js';
import type { SpawnPlan } from '#contract/actions/spawn-fallback-agent/schema.js';
import type { ActionResult, PendingAction, StartedAgent } from '#contract/remediation.js';
import { decidingActions, runsOnlyIf } from '#contract/runs-only-if.js';
import { isElsewhere, launchersFor } from './spawn-fallback-agent/choose-launcher.js';

export interface AssumedBefore {
  soFar: ActionResult[];
  pending: PendingAction[];
}

type Assumed = ActionResult | PendingAction;

/**
 * How the actions before one stand when a dry run shows it. Its `onlyIf` says how some of them must have ended; the others are
 * taken to have gone well, and an agent that nobody waits for to be still at work.
 */
export function assumedBefore(
  plan: ActionPlan,
  actions: readonly ActionPlan[],
  agents: Record<string, Agent>,
): AssumedBefore {
  const needed = endsNeededBy(plan, actions);
  const assumed: Assumed[] = [];
  for (const before of actions.slice(0, placeOf(plan, actions))) {
    assumed.push(heldBack(before, actions, assumed) ?? ended(before, needed.get(before.name), agents));
  }
  return { soFar: assumed.filter(isOver), pending: assumed.filter((one) => !isOver(one)) };
}

function isOver(assumed: Assumed): assumed is ActionResult {
  return assumed.status !== 'running' && assumed.status !== 'waiting';
}

function placeOf({ name }: ActionPlan, actions: readonly ActionPlan[]): number {
  return actions.findIndex((one) => one.name === name);
}

/** How actions must have ended for this one to run. Of several that could decide it, the first does. */
function endsNeededBy(plan: ActionPlan, actions: readonly ActionPlan[]): Map<string, OnlyIf> {
  const [decider] = decidingActions(plan, actions);
  if (plan.onlyIf === undefined || decider === undefined) return new Map();
  const before = actions.find(({ name }) => name === decider);
  return new Map([...(before ? endsNeededBy(before, actions) : []), [decider, plan.onlyIf]]);
}

/** An action that its own `onlyIf` does not let run, or not yet. */
function heldBack(plan: ActionPlan, actions: readonly ActionPlan[], before: readonly Assumed[]): Assumed | undefined {
  const { name: action, type, onlyIf } = plan;
  if (onlyIf === undefined) return undefined;
  const needed = onlyIf === 'failed' ? 'failed' : 'executed';
  const names = decidingActions(plan, actions);
  const deciders = before.filter((one) => names.includes(one.action));
  if (deciders.some(({ status }) => status === needed)) return undefined;
  const why = `runs ${runsOnlyIf(plan, actions)}`;
  if (!deciders.every(isOver)) return { action, type, status: 'waiting', note: why };
  return { action, type, status: 'skipped', reason: why, attempts: 0 };
}

function ended(plan: ActionPlan, needed: OnlyIf | undefined, agents: Record<string, Agent>): Assumed {
  if (plan.type === 'spawn_fallback_agent') return agentAction(plan, needed, agents);
  const { name: action, type } = plan;
  if (needed === 'failed') return { action, type, status: 'failed', reason: REASON, attempts: 1 };
  return { action, type, status: 'executed', detail: 'WHAT-IT-DID', attempts: 1 };
}

const REASON = 'WHY-IT-FAILED';
const ID = 'ITS-ID';
const OUTPUT_TAIL = 'THE-END-OF-WHAT-IT-SAID';

function agentAction(plan: SpawnPlan, needed: OnlyIf | undefined, agents: Record<string, Agent>): Assumed {
  const { name: action, type } = plan;
  const launchers = launchersFor(agents, plan);
  const running: StartedAgent = { launcher: launchers[0]?.name ?? 'ITS-LAUNCHER', id: ID, outcome: 'running' };
  const isAwaited = plan.await === 'finished';
  // The end of a program is always seen, that of an agent elsewhere only when somebody waits for it.
  const isRemote = launchers[0] !== undefined && isElsewhere(launchers[0].agent.kind);
  if (needed === 'failed') {
    const launches = launchers.map(({ name }) => ({
      launcher: name,
      status: 'failed' as const,
      reason: REASON,
      attempts: 1,
    }));
    const last = { ...running, launcher: launchers.at(-1)?.name ?? running.launcher };
    const agent: StartedAgent = { ...last, outcome: 'failed', outputTail: OUTPUT_TAIL };
    const wasStarted = isAwaited || !isRemote;
    return {
      action,
      type,
      status: 'failed',
      reason: REASON,
      attempts: Math.max(launches.length, 1),
      ...(launches.length > 1 && { launches }),
      ...(wasStarted && { agent }),
    };
  }
  if (isAwaited || (needed === 'success' && !isRemote)) {
    const agent: StartedAgent = { ...running, outcome: 'success', outputTail: OUTPUT_TAIL };
    return { action, type, status: 'executed', agent, attempts: 1 };
  }
  if (isRemote) return { action, type, status: 'executed', agent: running, attempts: 1 };
  return { action, type, status: 'running', agent: running };
}
