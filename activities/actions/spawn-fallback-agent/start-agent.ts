import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { Agent } from '#config/sections/agents.js';
import type { SpawnAnswer } from '#contract/activities.js';
import { type Attempt, isWorkerStopped } from './attempt.js';
import { isElsewhere } from './choose-launcher.js';
import type { Launch, LaunchWorld } from './launch.js';
import { launchCommand } from './launchers/command.js';
import { launchHttp } from './launchers/http.js';
import { launchTemporal } from './launchers/temporal.js';
import { tellAsked, tellNotStarted } from './announce.js';

/** Starts the agent in the way that its kind is started, and keeps the remediation informed of whether there may be one. */
export async function startAgent(
  launch: Launch,
  agent: Agent,
  attempt: Attempt,
  world: LaunchWorld,
): Promise<SpawnAnswer> {
  const { expected } = attempt;
  const told = expected ? tellAsked(launch, expected, world) : Promise.resolve();
  try {
    const [answer] = await Promise.all([launchKind(launch, agent, attempt, world), told]);
    return answer;
  } catch (error) {
    if (isElsewhere(agent.kind) && attempt.now().state === 'unasked' && !isLast(error)) {
      // Would it come first, the question would stand.
      await told;
      await tellNotStarted(launch, world);
    }
    throw error;
  }
}

function launchKind(launch: Launch, agent: Agent, attempt: Attempt, world: LaunchWorld): Promise<SpawnAnswer> {
  switch (agent.kind) {
    case 'command':
    case 'preset':
      return launchCommand(launch, agent, attempt, world);
    case 'http':
      return launchHttp(launch, agent, attempt, world);
    case 'temporal':
      return launchTemporal(launch, agent, attempt, world);
  }
}

/** What ends the attempts for good tells the remediation itself what is left. After the stop of a worker another follows. */
function isLast(error: unknown): boolean {
  if (error instanceof CancelledFailure) return !isWorkerStopped();
  return error instanceof ApplicationFailure && error.nonRetryable === true;
}
