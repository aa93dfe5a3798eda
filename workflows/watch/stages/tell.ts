import { getExternalWorkflowHandle, rootCause } from '@temporalio/workflow';
import { REMEDIATION_SIGNALS } from '#contract/names.js';
import type { Notice } from '#contract/notice.js';
import { startNotices } from '../activities.js';
import type { OutgoingNews } from '../ledgers/agents.js';
import type { Ledgers } from '../ledgers/index.js';

const MAX_NOTICES_PER_CALL = 20;

/** Whether there is anything that others are to be told now. While the tenant is paused, messages wait. */
export function hasToTell({ agents, notices, standing }: Ledgers): boolean {
  return agents.outgoing.length > 0 || (notices.size() > 0 && !standing.pause);
}

/** Tells others what was learnt for them: remediations of ends of agents, people of what was kept quiet and of what is over. */
export async function tell({ agents, notices, standing, verdicts }: Ledgers): Promise<void> {
  await Promise.all(agents.outgoing.splice(0).map(tellRemediation));
  while (notices.size() > 0 && !standing.pause) {
    for (const { notice, why } of await start(notices.take(MAX_NOTICES_PER_CALL))) {
      verdicts.logError('message', `message ${notice.id} could not be started: ${why}`, Date.now(), notice.rule);
    }
  }
}

async function tellRemediation({ remediation, news }: OutgoingNews): Promise<void> {
  try {
    await getExternalWorkflowHandle(remediation).signal(REMEDIATION_SIGNALS.agent, news);
  } catch {
    // It has ended, for instance because it was aborted: nobody waits for the news any more.
  }
}

/** Should one be refused, each is started alone, so that the one to blame harms no other. Returns those that cannot be. */
async function start(notices: Notice[]): Promise<{ notice: Notice; why: string }[]> {
  try {
    await startNotices(notices);
    return [];
  } catch (error) {
    const [notice, ...others] = notices;
    if (!notice) return [];
    if (others.length === 0) return [{ notice, why: rootCause(error) ?? String(error) }];
    const refused = [];
    for (const one of notices) refused.push(...(await start([one])));
    return refused;
  }
}
