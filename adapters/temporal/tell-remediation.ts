import type { Client } from '@temporalio/client';
import { REMEDIATION_SIGNALS } from '#contract/names.js';
import type { Workflows } from './workflows.js';
import { unlessGone } from './unless-gone.js';

export function makeTellRemediation(client: Client): Workflows['tellRemediation'] {
  // It may have ended, for instance because it was aborted: nobody waits for the news any more.
  return (id, news) => unlessGone(client.workflow.getHandle(id).signal(REMEDIATION_SIGNALS.agent, news), undefined);
}
