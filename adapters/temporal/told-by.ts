import type { Client } from '@temporalio/client';
import { QUERIES } from '#contract/names.js';
import type { RemediationProgress } from '#contract/remediation.js';
import type { Workflows } from './workflows.js';
import { unlessGone } from './unless-gone.js';

export function makeToldBy(client: Client): Workflows['toldBy'] {
  return async (id) => {
    const asked = client.workflow.getHandle(id).query<RemediationProgress>(QUERIES.progress);
    const told = (await unlessGone(asked, undefined))?.actions.filter(({ type }) => type === 'notify_team');
    return told?.filter(hasRun).map(({ action }) => action);
  };
}

/** One that is not needed, because of its `onlyIf`, is skipped without an attempt. */
function hasRun(action: RemediationProgress['actions'][number]): boolean {
  if (action.status === 'waiting') return false;
  return !('attempts' in action) || action.attempts > 0;
}
