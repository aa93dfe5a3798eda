import { Context } from '@temporalio/activity';
import type { TemporalAgent } from '../../../../config/sections/agents.js';
import type { SpawnAnswer } from '../../../../contract/activities.js';
import { oneLine } from '../../../../rules/one-line.js';
import { agentRequestOf } from '../agent-request.js';
import type { AgentWorkflowEnd } from '../agent-workflows.js';
import { agentOf, answer, type Launch, type Launcher, launchFailure, type LaunchWorld, leftMs } from '../launch.js';
import { createTailReader } from '../output-tail.js';
import { tellRemediation } from '../tell-remediation.js';
import { tellWatch } from '../tell-watch.js';

/** Starts a workflow. Its id is the effect key, so starting it twice starts one. */
export const launchTemporal: Launcher<TemporalAgent> = async (launch, { temporal }, world) => {
  const id = launch.effectKey;
  await tellWatch(launch, world, { agentId: id });
  const start = await world.agentWorkflows.start({
    id,
    ...temporal,
    request: agentRequestOf(launch),
    summary: `Fallback agent for ${launch.request.remediation.rule}`,
    mayRunAgain: launch.request.remediation.earlier !== undefined,
  });
  if (start.state === 'refused') {
    const message = `Fallback agent launch failed: ${start.reason}`;
    throw launchFailure(launch, { type: 'launch-failed', message, isFinal: true });
  }
  const agent = agentOf(launch, 'running', { id });
  if (launch.request.plan.await === 'launched') {
    return answer(launch, 'launched', agent, `Fallback agent launched: ${id}`);
  }
  await tellRemediation(launch, agent, world);
  return judge(await awaitEnd(launch, world), launch);
};

/** Nothing: it has taken too long, and was asked to end. */
async function awaitEnd(launch: Launch, { agentWorkflows }: LaunchWorld): Promise<AgentWorkflowEnd | undefined> {
  const id = launch.effectKey;
  const context = Context.current();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), leftMs(launch));
  try {
    const end = await agentWorkflows.result(id, AbortSignal.any([context.cancellationSignal, limit.signal]));
    if (end) return end;
    if (!context.cancellationSignal.aborted || isAborted(context)) await agentWorkflows.cancel(id);
    return context.cancellationSignal.aborted ? await context.cancelled : undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Not so when only this worker stops, or has lost touch: the next attempt waits for the same agent. */
function isAborted({ cancellationDetails }: Context): boolean {
  return cancellationDetails?.cancelRequested === true || cancellationDetails?.notFound === true;
}

/** A workflow of this id has run, and trying again would find the same one: whatever went wrong is for the next launcher. */
function judge(end: AgentWorkflowEnd | undefined, launch: Launch): SpawnAnswer {
  const id = launch.effectKey;
  if (end?.ended === 'completed') {
    const text = typeof end.result === 'string' ? end.result : (JSON.stringify(end.result) ?? '');
    const { outputTail, detail } = createTailReader(launch.redactor, [launch.lineageToken]).read({
      text,
      isCut: false,
    });
    const agent = agentOf(launch, 'success', { id, outputTail });
    return answer(launch, 'finished', agent, `Fallback agent ran (workflow completed); ${detail}`);
  }
  if (end === undefined || end.ended === 'timeout') {
    const message =
      end === undefined
        ? `Fallback agent was asked to end after its time limit of ${launch.timeoutMs}ms`
        : `Fallback agent workflow timed out: ${said(end.reason, launch)}`;
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
