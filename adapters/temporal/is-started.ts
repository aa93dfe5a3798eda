import type { Client } from '@temporalio/client';
import type { Workflows } from './workflows.js';
import { unlessGone } from './unless-gone.js';

export function makeIsStarted(client: Client): Workflows['isStarted'] {
  return async (remediation) =>
    (await unlessGone(client.workflow.getHandle(remediation).describe(), undefined)) !== undefined;
}
