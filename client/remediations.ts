import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { isNoticeId, parseRemediationId } from '#contract/ids.js';
import type { RemediationInput, RemediationProgress } from '#contract/remediation.js';
import { agentAtWork } from './agent-at-work.js';
import { MeshError } from './errors.js';
import { listDead } from './list-dead.js';
import { listLeases } from './list-leases.js';
import { listRemediations } from './list-remediations.js';
import { inputOf, progressOf, startAgain } from './past-runs.js';
import { planRetry } from './plan-retry.js';
import type { DeadFilter, RemediationFilter } from './filters.js';
import type { DeadPage } from '#contract/views/dead.js';
import type { LeasePage } from '#contract/views/lease.js';
import type { RemediationDetail, RemediationPage, Retried } from '#contract/views/remediation.js';
import { retriedActivities } from './retried-activities.js';
import { retryNotice } from './retry-notice.js';
import { summaryFrom } from './run-summary.js';
import { explainCall } from './temporal-errors.js';

export interface Remediations {
  list(filter: RemediationFilter): Promise<RemediationPage>;
  dead(filter: DeadFilter): Promise<DeadPage>;
  leases(tenant: string): Promise<LeasePage>;
  get(id: string): Promise<RemediationDetail>;
  abort(id: string): Promise<void>;
  retry(id: string): Promise<Retried>;
}

/** What people do with remediations, each of which is a workflow. */
export function createRemediations(client: Client): Remediations {
  const handle = (id: string) => client.workflow.getHandle(id);

  return {
    list: (filter) => listRemediations(client, filter),
    dead: (filter) => listDead(client, filter),
    leases: (tenant) => listLeases(client, tenant),

    async get(id) {
      const description = await describe(id);
      const [input, progress] = await readRun(description);
      const retrying = await retriedActivities(client, description, input.actions);
      const atWork = agentAtWork(description, input.actions, progress);
      return {
        ...summaryFrom(description.raw.workflowExecutionInfo),
        ...(progress && { progress }),
        ...(isAborting(description) && { isAborting: true }),
        ...(retrying.length > 0 && { retrying }),
        ...(atWork && { agentAtWork: atWork }),
        reported: input.event,
        actions: input.actions,
        rulesetHash: input.rulesetHash,
        ...(input.isTry && { isTry: input.isTry }),
      };
    },

    async abort(id) {
      const { status } = await describe(id);
      if (status.name !== 'RUNNING') throw conflict(`${id} has ended already (${status.name.toLowerCase()})`);
      try {
        await handle(id).cancel();
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        throw new MeshError('conflict', `${id} has ended meanwhile`, { cause: error });
      }
    },

    async retry(id) {
      if (isNoticeId(id)) return retryNotice(client, id);
      const description = await describe(id);
      if (description.status.name === 'RUNNING') throw conflict(`${id} is still running`);
      const [input, progress] = await readRun(description);
      if (!progress)
        throw conflict(`what ${id} has done is not known: it did not end by itself, and no worker can tell`);
      const { earlier, again } = planRetry(input.actions, progress, input.earlier);
      if (again.length === 0) throw conflict(`no action of ${id} has failed`);
      return { runId: await startAgain(client, description, { ...input, earlier }), actions: again };
    },
  };

  async function describe(id: string): Promise<WorkflowExecutionDescription> {
    if (!parseRemediationId(id)) throw notFound(id);
    try {
      return await handle(id).describe();
    } catch (error) {
      throw explainCall(error, notFound(id).message);
    }
  }

  function readRun(description: WorkflowExecutionDescription) {
    return Promise.all([
      inputOf<RemediationInput>(client, description),
      progressOf<RemediationProgress>(client, description),
    ]);
  }
}

function isAborting({ status, raw }: WorkflowExecutionDescription): boolean {
  return status.name === 'RUNNING' && raw.workflowExtendedInfo?.cancelRequested === true;
}

function notFound(id: string): MeshError {
  return new MeshError('not-found', `there is no remediation ${id}`);
}

function conflict(message: string): MeshError {
  return new MeshError('conflict', message);
}
