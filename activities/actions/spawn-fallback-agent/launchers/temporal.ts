import { Context } from '@temporalio/activity';
import type { TemporalAgent } from '#config/sections/agents.js';
import type { SpawnAnswer } from '#contract/activities.js';
import { oneLine } from '#contract/text/plain-text.js';
import { agentRequestOf } from '../agent-request.js';
import type { AgentWorkflowEnd } from '#adapters/temporal/agent-workflows.js';
import { isAborted } from '../is-aborted.js';
import { agentOf, answer, type Launch, type Launcher, launchFailure, type LaunchWorld, leftMs } from '../launch.js';
import { createTailReader } from '#adapters/process/output-tail.js';
import { tellRemediation } from '../tell-remediation.js';
import { tellWatch } from '../tell-watch.js';

/** Starts a workflow. Its id is the effect key, so starting it twice starts one. */
export const launchTemporal: Launcher<TemporalAgent> = async (launch, { temporal }, world) => {
  const id = launch.effectKey;
  await tellWatch(launch, world, { agentId: id });
  const mayHaveExisted = launch.mayExist;
  launch.mayExist = true;
  const start = await world.agentWorkflows.start({
    id,
    ...temporal,
    request: agentRequestOf(launch),
    summary: `Fallback agent for ${launch.request.remediation.rule}`,
  });
  if (start.state === 'refused') {
    launch.mayExist = mayHaveExisted;
    const message = `Fallback agent launch failed: ${start.reason}`;
    throw launchFailure(launch, { type: 'launch-failed', message, isFinal: true });
  }
  const agent = agentOf(launch, 'running', { id });
  if (launch.request.plan.await === 'launched') {
    return answer(launch, 'launched', agent, `Fallback agent launched: ${id}`);
  }
  await tellRemediation(launch, agent, world);
  return awaitEnd(launch, world);
};

async function awaitEnd(launch: Launch, { agentWorkflows, workflows }: LaunchWorld): Promise<SpawnAnswer> {
  const id = launch.effectKey;
  const context = Context.current();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), leftMs(launch));
  try {
    const end = await agentWorkflows.result(id, AbortSignal.any([context.cancellationSignal, limit.signal]));
    if (end) return judge(end, launch);
  } finally {
    clearTimeout(timer);
    // What listens to the joined signal is kept by Node until that is aborted.
    limit.abort();
  }
  if (!context.cancellationSignal.aborted) {
    const end = await agentWorkflows.cancel(id);
    // It was done in the very moment that it was asked to end.
    if (end?.ended === 'completed') return judge(end, launch);
    throw tooLong(end, launch);
  }
  // One that is on record as ended is not asked for again by a retry.
  const end = (await isAborted(context, workflows)) ? await agentWorkflows.cancel(id) : undefined;
  if (end) {
    launch.details.agent = agentOf(launch, end.ended === 'completed' ? 'success' : 'failed', { id });
    delete launch.details.mayStillRun;
  }
  return context.cancelled;
}

/** `end`: none when it goes on, although it was asked to end. */
function tooLong(end: AgentWorkflowEnd | undefined, launch: Launch) {
  return launchFailure(launch, {
    type: 'timeout',
    message: `Fallback agent was asked to end after its time limit of ${launch.timeoutMs}ms`,
    isFinal: true,
    agent: agentOf(launch, 'timeout', { id: launch.effectKey }),
    ...(!end && { mayStillRun: true }),
  });
}

/** A workflow of this id has run, and trying again would find the same one: whatever went wrong is for the next launcher. */
function judge(end: AgentWorkflowEnd, launch: Launch): SpawnAnswer {
  const id = launch.effectKey;
  if (end.ended === 'completed') {
    const ran = 'Fallback agent ran (workflow completed)';
    if (end.unreadable !== undefined) {
      const detail = `${ran}; its result cannot be read: ${said(end.unreadable, launch)}`;
      return answer(launch, 'finished', agentOf(launch, 'success', { id }), detail);
    }
    const text = typeof end.result === 'string' ? end.result : (JSON.stringify(end.result) ?? '');
    const { outputTail, detail } = createTailReader(launch.redactor, [launch.lineageToken]).read({
      text,
      isCut: false,
    });
    const agent = agentOf(launch, 'success', { id, outputTail });
    return answer(launch, 'finished', agent, `${ran}; ${detail}`);
  }
  if (end.ended === 'timeout') {
    const message = `Fallback agent workflow timed out: ${said(end.reason, launch)}`;
    throw launchFailure(launch, { type: 'timeout', message, isFinal: true, agent: agentOf(launch, 'timeout', { id }) });
  }
  const message = `Fallback agent workflow ${end.ended === 'failed' ? 'failed' : 'was cancelled'}: ${said(end.reason, launch)}`;
  throw launchFailure(launch, {
    type: 'agent-failed',
    message,
    isFinal: true,
    agent: agentOf(launch, 'failed', { id }),
  });
}

const MAX_REASON_CHARS = 300;

function said(reason: string, { redactor }: Launch): string {
  return oneLine(redactor.text(reason), MAX_REASON_CHARS);
}
