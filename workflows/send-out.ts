import { getExternalWorkflowHandle, rootCause } from '@temporalio/workflow';
import { REMEDIATION_SIGNALS } from '#contract/names.js';
import type { Notice } from '#contract/notice.js';
import { logFailedNotice } from './verdict-log.js';
import type { OutgoingNews } from './watch-agents.js';
import { startNotices } from './watch-activities.js';
import type { WatchState } from './watch-state.js';

const MAX_NOTICES_PER_CALL = 20;

/** Whether there is anything that others are to be told now. While the tenant is paused, messages wait. */
export function hasToSendOut({ outgoing, notices, pause }: WatchState): boolean {
  return outgoing.length > 0 || (notices.length > 0 && !pause);
}

export async function sendOut(state: WatchState): Promise<void> {
  await Promise.all(state.outgoing.splice(0).map(tellRemediation));
  while (state.notices.length > 0 && !state.pause) await start(state, state.notices.splice(0, MAX_NOTICES_PER_CALL));
}

async function tellRemediation({ remediation, news }: OutgoingNews): Promise<void> {
  try {
    await getExternalWorkflowHandle(remediation).signal(REMEDIATION_SIGNALS.agent, news);
  } catch {
    // It has ended, for instance because it was aborted: nobody waits for the news any more.
  }
}

/** Should one be refused, each is started alone, so that the one to blame harms no other. */
async function start(state: WatchState, notices: Notice[]): Promise<void> {
  try {
    await startNotices(notices);
  } catch (error) {
    const [notice, ...others] = notices;
    if (!notice) return;
    if (others.length === 0) return logFailedNotice(state, notice, rootCause(error) ?? String(error), Date.now());
    for (const one of notices) await start(state, [one]);
  }
}
