import { Context } from '@temporalio/activity';
import type { TemporalAgent } from '#config/sections/agents.js';
import type { SpawnAnswer } from '#contract/activities.js';
import { oneLine } from '#contract/text/plain-text.js';
import { agentRequestOf } from '../agent-request.js';
import type { AgentWorkflowEnd } from '#adapters/temporal/agent-workflows.js';
import { failure } from '../../../fail.js';
import type { Attempt } from '../attempt.js';
import { agentOf, answer, isAborted, type Launch, type Launcher, type LaunchWorld, leftMs } from '../launch.js';
import { createTailReader } from '#adapters/process/output-tail.js';
import { tellLaunched, tellWatch } from '../announce.js';

/** Starts a workflow. Its id is the effect key, so starting it twice starts one. */
export const launchTemporal: Launcher<TemporalAgent> = async (launch, { temporal }, attempt, world) => {
  const id = launch.effectKey;
  await tellWatch(launch, world, { agentId: id });
  attempt.asks();
  const start = await world.agentWorkflows.start({
    id,
    ...temporal,
    request: agentRequestOf(launch),
    summary: `Fallback agent for ${launch.request.remediation.rule}`,
  });
  if (start.state === 'refused') {
    attempt.startedNone();
    const message = `Fallback agent launch failed: ${start.reason}`;
    throw failure({ type: 'launch-failed', message, isFinal: true });
  }
  const agent = agentOf(launch, 'running', { id });
  attempt.startedElsewhere(agent);
  if (launch.request.plan.await === 'launched') {
    return answer('launched', agent, `Fallback agent launched: ${id}`);
  }
  await tellLaunched(launch, agent, world);
  return awaitEnd(launch, attempt, world);
};

async function awaitEnd(
  launch: Launch,
  attempt: Attempt,
  { agentWorkflows, workflows }: LaunchWorld,
): Promise<SpawnAnswer> {
  const id = launch.effectKey;
  const context = Context.current();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), leftMs(launch));
  try {
    const end = await agentWorkflows.result(id, AbortSignal.any([context.cancellationSignal, limit.signal]));
    if (end) return judge(end, launch, attempt);
  } finally {
    clearTimeout(timer);
    // What listens to the joined signal is kept by Node until that is aborted.
    limit.abort();
  }
  if (!context.cancellationSignal.aborted) {
    const end = await agentWorkflows.cancel(id);
    // It was done in the very moment that it was asked to end.
    if (end?.ended === 'completed') return judge(end, launch, attempt);
    throw tooLong(end, launch, attempt);
  }
  // One that is on record as ended is not asked for again by a retry.
  const end = (await isAborted(workflows)) ? await agentWorkflows.cancel(id) : undefined;
  if (end) attempt.ended(agentOf(launch, end.ended === 'completed' ? 'success' : 'failed', { id }));
  return context.cancelled;
}

/** `end`: none when it goes on, although it was asked to end. */
function tooLong(end: AgentWorkflowEnd | undefined, launch: Launch, attempt: Attempt) {
  const agent = agentOf(launch, 'timeout', { id: launch.effectKey });
  if (end) attempt.ended(agent);
  else attempt.left(agent);
  const message = `Fallback agent was asked to end after its time limit of ${launch.timeoutMs}ms`;
  return failure({ type: 'timeout', message, isFinal: true });
}

/** A workflow of this id has run, and trying again would find the same one: whatever went wrong is for the next launcher. */
function judge(end: AgentWorkflowEnd, launch: Launch, attempt: Attempt): SpawnAnswer {
  const id = launch.effectKey;
  if (end.ended === 'completed') {
    const ran = 'Fallback agent ran (workflow completed)';
    if (end.unreadable !== undefined) {
      const detail = `${ran}; its result cannot be read: ${said(end.unreadable, launch)}`;
      return answer('finished', agentOf(launch, 'success', { id }), detail);
    }
    const text = typeof end.result === 'string' ? end.result : (JSON.stringify(end.result) ?? '');
    const { outputTail, detail } = createTailReader(launch.redactor, [launch.lineageToken]).read({
      text,
      isCut: false,
    });
    const agent = agentOf(launch, 'success', { id, outputTail });
    return answer('finished', agent, `${ran}; ${detail}`);
  }
  const isLate = end.ended === 'timeout';
  attempt.ended(agentOf(launch, isLate ? 'timeout' : 'failed', { id }));
  const message = `Fallback agent workflow ${HOW_IT_ENDED[end.ended]}: ${said(end.reason, launch)}`;
  throw failure({ type: isLate ? 'timeout' : 'agent-failed', message, isFinal: true });
}

const HOW_IT_ENDED = { failed: 'failed', cancelled: 'was cancelled', timeout: 'timed out' };

const MAX_REASON_CHARS = 300;

function said(reason: string, { redactor }: Launch): string {
  return oneLine(redactor.text(reason), MAX_REASON_CHARS);
}
