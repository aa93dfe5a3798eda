import { Context } from '@temporalio/activity';
import type { ActionActivities, AttemptDetails, SpawnAnswer, SpawnRequest } from '#contract/activities.js';
import { ABORT_UNHEARD, isAbortUnheard } from '../../abort-unheard.js';
import { asFailure, failure } from '../../fail.js';
import { withHeartbeat } from '../../heartbeat.js';
import { readConfig } from '../../load-config.js';
import type { World } from '../../world.js';
import { endLeftovers } from '#adapters/process/leftovers.js';
import { chooseLauncher, type ChosenLauncher, NO_LAUNCHER } from './choose-launcher.js';
import { isAborted } from './is-aborted.js';
import type { Launch, LaunchWorld } from './launch.js';
import { expectElsewhere, isForNextAttempt, takeBackUnasked, withDetails } from './left-behind.js';
import { leftoversOf } from './leftovers-of.js';
import { type LaunchInput, prepareLaunch } from './prepare-launch.js';
import { busy, delayed, delayedByStop, failedBefore } from './put-off.js';
import { startAgent } from './start-agent.js';
import { giveBackSlot, takeSlot, ticketOf } from './take-slot.js';

type SpawnWorld = LaunchWorld & Pick<World, 'config' | 'redactKeys'>;

/** Starts the agent that is configured for the agent type, if there is room for one more. */
export function makeSpawnFallbackAgent(world: SpawnWorld): ActionActivities['spawnFallbackAgent'] {
  return async (request) => {
    const startedAt = performance.now();
    const earlier = leftBefore(request);
    const config = await readConfig(world.config);
    if ('problem' in config) return withoutConfig(config.problem, earlier);
    const chosen = chooseLauncher(config.value.agents, request);
    if (!chosen) throw noLauncher(request, earlier);
    // The configuration has changed meanwhile, and two agents at once could undo each other's work.
    if (earlier?.mayStillRun && !isSameLauncher(earlier, chosen)) throw noLauncher(request, earlier, chosen);

    const names = namesOf(chosen);
    try {
      return await withHeartbeat(async (details) => {
        Object.assign(details, names);
        const input = { request, config: config.value, chosen, details, ...thisAttempt(), earlier, startedAt };
        const launch = prepareLaunch(input, world);
        details.slot = ticketOf(launch);
        expectElsewhere(launch, chosen.agent);
        return await inSlot(launch, chosen, world);
      });
    } catch (error) {
      // Also what nobody expected tells the workflow which launcher it was, and which is next.
      throw asFailure(error, names);
    }
  };
}

/** By the attempt before this one, or by the activity before this one. */
function leftBefore({ earlier }: SpawnRequest): AttemptDetails | undefined {
  return (Context.current().info.heartbeatDetails as AttemptDetails | undefined) ?? earlier;
}

/** An operator mends the file, and the agent is started then. */
function withoutConfig(problem: string, earlier: AttemptDetails | undefined): SpawnAnswer {
  const { launcher, next, slot } = earlier ?? {};
  return {
    state: 'delayed',
    reason: `the configuration cannot be read: ${problem}`,
    ...(launcher !== undefined && { launcher }),
    ...(next !== undefined && { next }),
    ...(slot && { slot }),
    ...(earlier && { earlier }),
    ...failedBefore(),
  };
}

function isSameLauncher({ launcher, askedBy }: AttemptDetails, { name, agent }: ChosenLauncher): boolean {
  return launcher === name && (askedBy === undefined || askedBy === agent.kind);
}

/** What has become of an agent that was asked for before stays unknown. */
function noLauncher(request: SpawnRequest, earlier: AttemptDetails | undefined, chosen?: ChosenLauncher) {
  const gone = (earlier?.mayStillRun && earlier.launcher) ?? request.launcher;
  const change = gone === chosen?.name ? 'is of another kind now' : 'is no longer configured for this agent type';
  const message = gone === undefined ? NO_LAUNCHER : `The launcher ${gone} ${change}`;
  const { agent, mayStillRun, slot } = earlier ?? {};
  const left = mayStillRun ? { mayStillRun, ...(agent && { agent }), ...(slot && { slot }) } : {};
  return failure({ type: 'no-launcher', message, isFinal: true, more: left });
}

function thisAttempt(): Pick<LaunchInput, 'tryKey' | 'attempt'> {
  const { info } = Context.current();
  return { tryKey: `${info.workflowExecution?.runId} ${info.activityId}`, attempt: info.attempt };
}

/** The slot is given back with the end of the agent, or with that of the request where nobody here hears of its end. */
async function inSlot(launch: Launch, chosen: ChosenLauncher, world: SpawnWorld): Promise<SpawnAnswer> {
  const { details } = launch;
  try {
    // Also where there is no room for another: the next try is another activity, which knows of no attempt before it.
    await endLeftovers(leftoversOf(launch, world));
    const slot = await takeSlot(launch, chosen.agent.maxConcurrent, world);
    if (slot.state === 'busy') return busy(launch, chosen);
    if (slot.state === 'unanswered') return delayed(launch, slot.reason);
    // The remediation hears of the abort before it hears of this, and goes on from what this attempt has found.
    if (await isAbortUnheard(world.workflows)) return delayed(launch, ABORT_UNHEARD);
    const answer = await startAgent(launch, chosen.agent, world);
    // The remediation waits for the end of that one.
    const isWaitedFor = answer.state === 'launched' && launch.request.plan.await === 'finished';
    if (!isWaitedFor) await giveBackSlot(launch, world);
    // What is not given back here, the remediation gives back.
    return { ...answer, ...(details.slot && { slot: details.slot }) };
  } catch (error) {
    const putOff = delayedByStop(launch, chosen.agent, error);
    if (putOff) return putOff;
    takeBackUnasked(launch);
    const isAbort = await isAborted(Context.current(), world.workflows);
    if (isAbort || !isForNextAttempt(launch, error)) await giveBackSlot(launch, world);
    // The server hands the last details on to the next attempt.
    Context.current().heartbeat(details);
    throw withDetails(asFailure(error, namesOf(chosen)), launch, isAbort);
  }
}

function namesOf({ name: launcher, next }: ChosenLauncher): Pick<AttemptDetails, 'launcher' | 'next'> {
  return { launcher, ...(next !== undefined && { next }) };
}
