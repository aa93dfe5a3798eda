import { Context } from '@temporalio/activity';
import { TemporalFailure } from '@temporalio/common';
import type { Agent } from '../../../config/sections/agents.js';
import type { ActionActivities, SpawnAnswer, SpawnRequest } from '../../../contract/activities.js';
import { messageOf } from '../../../contract/message-of.js';
import { verifyLineage } from '../../../rules/lineage/verify.js';
import { attempt, failure } from '../../fail.js';
import { withHeartbeat } from '../../heartbeat.js';
import { loadConfig } from '../../load-config.js';
import type { World } from '../../world.js';
import { endLeftovers, type LeftoversOf } from './adapters/leftovers.js';
import { chooseLauncher, type ChosenLauncher, NO_LAUNCHER } from './choose-launcher.js';
import { type Launch, launchFailure, type LaunchWorld } from './launch.js';
import { launchCommand } from './launchers/command.js';
import { launchHttp } from './launchers/http.js';
import { launchTemporal } from './launchers/temporal.js';
import { type LaunchFacts, prepareLaunch } from './prepare-launch.js';
import { createSlots } from './slots.js';

type SpawnWorld = LaunchWorld & Pick<World, 'config' | 'redactKeys' | 'lineageKey'>;

/** Starts the agent that is configured for the agent type, if there is room for one more. */
export function makeSpawnFallbackAgent(world: SpawnWorld): ActionActivities['spawnFallbackAgent'] {
  const slots = createSlots();
  return async (request) => {
    const startedAt = performance.now();
    const config = await loadConfig(world.config);
    const chosen = chooseLauncher(config.agents, request);
    if (!chosen) throw noLauncher(request);

    const free = slots.take(chosen.name, chosen.agent.maxConcurrent);
    try {
      return await withHeartbeat(async (details) => {
        const next = chosen.next === undefined ? {} : { next: chosen.next };
        Object.assign(details, { launcher: chosen.name, ...next });
        const launch = prepareLaunch({ request, config, chosen, details, ...whichAttempt(), startedAt }, world);
        // Also where there is no room for another: the next try is another activity, which knows of no attempt before it.
        await endLeftovers(leftoversOf(launch, world));
        if (!free) return busy(chosen);
        return start(launch, chosen.agent, world);
      });
    } catch (error) {
      throw explained(error, chosen);
    } finally {
      free?.();
    }
  };
}

function noLauncher({ launcher }: SpawnRequest) {
  const message = launcher === undefined ? NO_LAUNCHER : `The launcher ${launcher} is no longer configured`;
  return failure({ type: 'no-launcher', message, isFinal: true });
}

/** Found by what the environment of every attempt says. The token is of this mesh, and of no other, however old it is. */
function leftoversOf({ request, earlierSessions }: Launch, { lineageKey: key }: SpawnWorld): LeftoversOf {
  const { id, event } = request.remediation;
  const isOurs = (token: string) => {
    const proof = verifyLineage(token, { key, tenant: event.tenant, now: 0 });
    return 'parent' in proof && proof.parent === id;
  };
  return { remediation: id, action: request.plan.name, earlierSessions, isOurs };
}

function busy({ name, agent, next }: ChosenLauncher): SpawnAnswer {
  const failedBefore = attempt() - 1;
  return {
    state: 'busy',
    launcher: name,
    slots: agent.maxConcurrent,
    ...(next !== undefined && { next }),
    ...(failedBefore > 0 && { attempts: failedBefore }),
  };
}

/** `now` is the same for every attempt, so that a request that is sent again says the same. */
function whichAttempt(): Pick<LaunchFacts, 'tryKey' | 'attempt' | 'now'> {
  const { workflowExecution, activityId, attempt, scheduledTimestampMs } = Context.current().info;
  return { tryKey: `${workflowExecution?.runId} ${activityId}`, attempt, now: scheduledTimestampMs };
}

function start(launch: Launch, agent: Agent, world: LaunchWorld): Promise<SpawnAnswer> {
  switch (agent.kind) {
    case 'command':
    case 'preset':
      return launchCommand(launch, agent, world);
    case 'http':
      return launchHttp(launch, agent, world);
    case 'temporal':
      return launchTemporal(launch, agent, world);
  }
}

/** Also what nobody expected tells the workflow which launcher it was, and which is next. */
function explained(error: unknown, { name, next }: ChosenLauncher): unknown {
  if (error instanceof TemporalFailure) return error;
  return launchFailure({ launcher: name, next }, { type: 'action-error', message: messageOf(error), cause: error });
}
