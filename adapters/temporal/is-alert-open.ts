import type { Client } from '@temporalio/client';
import { watchId } from '#contract/ids.js';
import { QUERIES } from '#contract/names.js';
import type { OpenAlert } from '#contract/notification.js';
import type { AlertsQuery } from '#contract/watch.js';
import type { Workflows } from './workflows.js';
import { unlessGone } from './unless-gone.js';

export function makeIsAlertOpen(client: Client): Workflows['isAlertOpen'] {
  return async (tenant, alert) => {
    const watch = client.workflow.getHandle(watchId(tenant));
    const asked = watch.query<OpenAlert[], [AlertsQuery]>(QUERIES.alerts, alert);
    return (await unlessGone(asked, [])).length > 0;
  };
}
