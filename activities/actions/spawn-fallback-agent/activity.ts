import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { endLeftovers } from '#adapters/process/leftovers.js';
import type { Agent } from '#config/sections/agents.js';
import type { ActionActivities, SpawnAnswer, SpawnRequest } from '#contract/activities.js';
import { type AgentKnown, isAtWork, type SpawnDetails } from '#contract/attempt.js';
import { ABORT_UNHEARD, isAbortUnheard } from '../../abort-unheard.js';
import { asFailure, attempt as attemptNumber, failure } from '../../fail.js';
import { withHeartbeat } from '../../heartbeat.js';
import { readConfig } from '../../load-config.js';
import type { World } from '../../world.js';
import { noLonger } from './ask-for-slot.js';
import { type Attempt, createAttempt, delayed, delayedByStop, isWorkerStopped, withKnown } from './attempt.js';
import { isAborted, type Launch, type LaunchWorld, leftoversOf } from './launch.js';
import { type LaunchInput, prepareLaunch } from './prepare-launch.js';
import { isElsewhere } from './choose-launcher.js';
import { launchCommand } from './launchers/command.js';
import { launchHttp } from './launchers/http.js';
import { launchTemporal } from './launchers/temporal.js';
import { tellAsked, tellNotStarted } from './announce.js';

type SpawnWorld = LaunchWorld & Pick<World, 'config' | 'redactKeys'>;

/** Starts an agent through the launcher of which the remediation has a slot. */
export function makeSpawnFallbackAgent(world: SpawnWorld): ActionActivities['spawnFallbackAgent'] {
  return async (request) => {
    const startedAt = performance.now();
    const earlier = leftBefore(request);
    const config = await readConfig(world.config);
    // An operator mends the file, and the agent is started then.
    if ('problem' in config) return delayed(`the configuration cannot be read: ${config.problem}`, earlier);
    const chosen = chosenBy(request, config.value.agents, earlier);
    const beats: SpawnDetails = { attempts: attemptNumber(), known: earlier };
    return withHeartbeat(async () => {
      const launch = prepareLaunch({ request, config: config.value, chosen, ...thisTry(), startedAt }, world);
      const attempt = createAttempt({ ...launch, kind: chosen.agent.kind }, beats, earlier);
      try {
        return await launchOnce(launch, chosen.agent, attempt, world);
      } catch (error) {
        const putOff = delayedByStop(attempt, chosen.agent, error);
        if (putOff) return putOff;
        const isAbort = await isAborted(world.workflows);
        // The server hands the last details on to the next attempt.
        Context.current().heartbeat({ ...beats, known: attempt.now() });
        throw withKnown(asFailure(error), attempt, isAbort);
      }
    }, beats);
  };
}

/** By the attempt before this one, or by the activity before this one. */
function leftBefore({ earlier }: SpawnRequest): AgentKnown {
  const beat = Context.current().info.heartbeatDetails as SpawnDetails | undefined;
  return beat?.known ?? earlier ?? { state: 'unasked' };
}

/** The configuration may have changed meanwhile. What has become of an agent that was asked for before stays unknown then. */
function chosenBy(
  { launcher, isFallback }: SpawnRequest,
  agents: Record<string, Agent>,
  earlier: AgentKnown,
): LaunchInput['chosen'] {
  const agent = Object.hasOwn(agents, launcher) ? agents[launcher] : undefined;
  // Two agents at once could undo each other's work.
  const isOtherKind = agent !== undefined && earlier.state === 'asked' && earlier.by !== agent.kind;
  if (agent && !isOtherKind) return { name: launcher, agent, isFallback };
  const message = agent ? `The launcher ${launcher} is of another kind now` : noLonger(launcher);
  const known: AgentKnown = isAtWork(earlier) ? earlier : { state: 'unasked' };
  throw failure({ type: 'no-launcher', message, isFinal: true, more: { known } });
}

function thisTry(): Pick<LaunchInput, 'tryKey' | 'attempt'> {
  const { info } = Context.current();
  return { tryKey: `${info.workflowExecution?.runId} ${info.activityId}`, attempt: info.attempt };
}

async function launchOnce(launch: Launch, agent: Agent, attempt: Attempt, world: SpawnWorld): Promise<SpawnAnswer> {
  await endLeftovers(leftoversOf(launch.request, launch.earlierSessions, world));
  // The remediation hears of the abort before it hears of this, and goes on from what this attempt has found.
  if (await isAbortUnheard(world.workflows)) return delayed(ABORT_UNHEARD, attempt.now());
  return startAgent(launch, agent, attempt, world);
}

/** Starts the agent in the way that its kind is started, and keeps the remediation informed of whether there may be one. */
async function startAgent(launch: Launch, agent: Agent, attempt: Attempt, world: LaunchWorld): Promise<SpawnAnswer> {
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
