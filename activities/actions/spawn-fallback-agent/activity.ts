import { Context } from '@temporalio/activity';
import { TemporalFailure } from '@temporalio/common';
import type { Agent } from '../../../config/sections/agents.js';
import type { ActionActivities, SpawnAnswer, SpawnRequest } from '../../../contract/activities.js';
import { messageOf } from '../../../contract/message-of.js';
import { attempt, failure } from '../../fail.js';
import { withHeartbeat } from '../../heartbeat.js';
import { loadConfig } from '../../load-config.js';
import type { World } from '../../world.js';
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
    const config = await loadConfig(world.config);
    const chosen = chooseLauncher(config.agents, request);
    if (!chosen) throw noLauncher(request);

    const free = slots.take(chosen.name, chosen.agent.maxConcurrent);
    if (!free) return busy(chosen);
    try {
      return await withHeartbeat(async (details) => {
        const next = chosen.next === undefined ? {} : { next: chosen.next };
        Object.assign(details, { launcher: chosen.name, ...next });
        const launch = prepareLaunch({ request, config, chosen, details, ...whichAttempt() }, world);
        return start(launch, chosen.agent, world);
      });
    } catch (error) {
      throw explained(error, chosen);
    } finally {
      free();
    }
  };
}

function noLauncher({ launcher }: SpawnRequest) {
  const message = launcher === undefined ? NO_LAUNCHER : `The launcher ${launcher} is no longer configured`;
  return failure({ type: 'no-launcher', message, isFinal: true });
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
