import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { Agent } from '#config/sections/agents.js';
import type { SpawnAnswer } from '#contract/activities.js';
import type { Launch, LaunchWorld } from './launch.js';
import { isElsewhere } from './is-elsewhere.js';
import { isWorkerStopped } from './left-behind.js';
import { launchCommand } from './launchers/command.js';
import { launchHttp } from './launchers/http.js';
import { launchTemporal } from './launchers/temporal.js';
import { tellAsked, tellNotStarted } from './tell-remediation.js';

/** Starts the agent in the way that its kind is started, and keeps the remediation informed of whether there may be one. */
export async function startAgent(launch: Launch, agent: Agent, world: LaunchWorld): Promise<SpawnAnswer> {
  const asked = tellAsked(launch, world);
  try {
    const [answer] = await Promise.all([launchKind(launch, agent, world), asked]);
    return answer;
  } catch (error) {
    if (isElsewhere(agent.kind) && !launch.mayExist && !isLast(error)) {
      // Would it come first, the question would stand.
      await asked;
      await tellNotStarted(launch, world);
    }
    throw error;
  }
}

function launchKind(launch: Launch, agent: Agent, world: LaunchWorld): Promise<SpawnAnswer> {
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

/** What ends the attempts for good tells the remediation itself what is left. After the stop of a worker another follows. */
function isLast(error: unknown): boolean {
  if (error instanceof CancelledFailure) return !isWorkerStopped();
  return error instanceof ApplicationFailure && error.nonRetryable === true;
}
