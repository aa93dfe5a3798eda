import { condition } from '@temporalio/workflow';
import type { SpawnAnswer } from '../../../contract/activities.js';
import type { SpawnPlan } from '../../../contract/actions/spawn-fallback-agent/schema.js';
import type { Launch } from '../../../contract/remediation.js';
import { utc } from '../../../contract/markdown.js';
import { duration } from '../../../contract/duration.js';
import { summaryOf } from '../../../contract/summary.js';
import type { ActionRun } from '../action-run.js';
import { nameOf, type Tried } from './tried.js';

type Launched = Extract<SpawnAnswer, { state: 'launched' | 'finished' }>;

/** Waits for the event that tells of the end of an agent that runs elsewhere. */
export async function awaitEnd(
  { plan, agentEnds, show }: ActionRun<SpawnPlan>,
  { agent, detail, attempts, next, timeoutMs = plan.timeoutMs }: Launched,
  isMeant: (agentId: string) => boolean,
): Promise<Tried> {
  const launched: Launch = { launcher: agent.launcher, status: 'launched', attempts };
  const end = () => agentEnds.find(plan.name, isMeant);

  show({ note: `${nameOf(agent)} has until ${utc(Date.now() + timeoutMs)} to end` });
  await condition(() => end() !== undefined, timeoutMs, { summary: summaryOf(`time limit of ${nameOf(agent)}`) });

  const news = end();
  if (!news) {
    // It may still do its work: another agent beside it could undo that.
    const reason = `no end of ${nameOf(agent)} was reported within ${duration(timeoutMs)}; it may go on, since it runs elsewhere`;
    const timedOut = { ...agent, outcome: 'timeout' as const };
    return { outcome: { status: 'failed', reason, detail, agent: timedOut, attempts }, launched };
  }
  const { outcome, outputTail } = news;
  const ended = { ...agent, outcome, ...(outputTail !== undefined && { outputTail }) };
  if (outcome === 'success') {
    return { outcome: { status: 'executed', detail: `${detail}; it ended well`, agent: ended, attempts }, launched };
  }
  const reason = `${nameOf(agent)} ended with outcome ${outcome}`;
  return {
    outcome: { status: 'failed', reason, detail, agent: ended, attempts },
    launched: { ...launched, status: 'failed', reason },
    next,
  };
}
