import { condition } from '@temporalio/workflow';
import type { LaunchedAnswer } from '#contract/activities.js';
import type { SpawnPlan } from '#contract/actions/spawn-fallback-agent/schema.js';
import type { Launch, StartedAgent } from '#contract/remediation.js';
import { duration } from '#contract/text/duration.js';
import { summaryOf } from '#contract/text/shorten.js';
import type { AgentEndNews } from '../../agent-news.js';
import type { ActionRun } from '../action-run.js';
import { launchedAgent, nameOf, type Tried } from './launch-record.js';

/**
 * Waits for the event that tells of the end of an agent that runs elsewhere. Ends of other agents of this action may come too:
 * of one that an earlier run, or another launcher, has started after all.
 */
export async function awaitEnd(
  { plan, agentEnds, show }: ActionRun<SpawnPlan>,
  { agent, detail, attempts, timeoutMs = plan.timeoutMs }: LaunchedAnswer,
  next: string | undefined,
): Promise<Tried> {
  const launched = (now: StartedAgent): Launch => ({
    launcher: agent.launcher,
    status: 'launched',
    attempts,
    agent: launchedAgent(now),
  });
  const end = () => agentEnds.find(plan.name, (one) => isEndOf(agent, one));

  const untilAt = Date.now() + timeoutMs;
  show({ doing: { is: 'waiting-for-end', agent: nameOf(agent), untilAt } });
  const summary = summaryOf(`time limit of ${nameOf(agent)}`);
  // In a cancelled scope a condition throws even if it holds: an end that was told together with an abort would be missed.
  if (!end()) await condition(() => end() !== undefined, timeoutMs, { summary });
  // Its end may have been reported while no worker ran: the watch, which tells of it, has only just come back as well.
  if (!end() && Date.now() - untilAt >= LATE_MS) {
    const late = summaryOf(`end of ${nameOf(agent)}, if it was reported while no worker ran`);
    await condition(() => end() !== undefined, WATCH_COMES_BACK_MS, { summary: late });
  }

  const news = end();
  if (!news) {
    // It may still do its work: another agent beside it could undo that.
    const reason = `no end of ${nameOf(agent)} was reported within ${duration(timeoutMs)}; it may go on, since it runs elsewhere`;
    const timedOut = { ...agent, outcome: 'timeout' as const };
    return {
      outcome: { status: 'failed', reason, detail, agent: timedOut, attempts },
      launched: { ...launched(timedOut), reason },
    };
  }
  const { outcome, outputTail } = news;
  const ended = { ...agent, outcome, ...(outputTail !== undefined && { outputTail }) };
  if (outcome === 'success') {
    return {
      outcome: { status: 'executed', detail: `${detail}; it ended well`, agent: ended, attempts },
      launched: launched(ended),
    };
  }
  const reason = `${nameOf(agent)} ended with outcome ${outcome}`;
  return {
    outcome: { status: 'failed', reason, detail, agent: ended, attempts },
    launched: { ...launched(ended), status: 'failed', reason },
    next,
  };
}

/** So much after its time nothing comes that runs all along. */
const LATE_MS = 5_000;
const WATCH_COMES_BACK_MS = 30_000;

/** By its session, which the mesh has chosen: a service may use its names for agents, such as `worker-1`, again and again. */
function isEndOf({ id, session }: StartedAgent, { agentId, ids }: AgentEndNews): boolean {
  return session === undefined ? id === agentId : ids.includes(session);
}
