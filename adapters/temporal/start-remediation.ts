import { type Client, WorkflowExecutionAlreadyStartedError, type WorkflowStartOptions } from '@temporalio/client';
import { WORKFLOW_TYPES } from '#contract/names.js';
import type { RemediationInput } from '#contract/remediation.js';
import { factsOf } from '#contract/facts.js';
import { describeRemediation, summariseRemediation } from './describe-remediation.js';
import type { Workflows } from './workflows.js';
import { permanentRefusal } from './permanent-refusal.js';
import { searchAttributePairs, type SearchAttributeValues } from './search-attributes.js';

/** The id decides: a remediation that exists already, running or done, is left as it is. */
export function makeStartRemediation(client: Client, taskQueue: string): Workflows['startRemediation'] {
  return async (plan) => {
    try {
      await client.workflow.start(WORKFLOW_TYPES.remediate, {
        ...remediationStart(plan, taskQueue),
        requestEagerStart: true,
      });
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return { remediation: plan.id };
      const refusal = permanentRefusal(error);
      if (refusal === undefined) throw error;
      return { error: refusal };
    }
    return { remediation: plan.id };
  };
}

/** How a remediation is started, by whomever. */
export function remediationStart(plan: RemediationInput, taskQueue: string) {
  return {
    workflowId: plan.id,
    taskQueue,
    args: [plan],
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    staticSummary: summariseRemediation(plan),
    staticDetails: describeRemediation(plan),
    typedSearchAttributes: searchAttributePairs(searchAttributesOf(plan)),
  } satisfies WorkflowStartOptions;
}

/** Search attributes are stored in clear, so only names go in, and a name that looks like a text stays out. */
const PLAIN_NAME = /^[\w.:@/+=~-]{1,200}$/;

function searchAttributesOf({ event, rule }: RemediationInput): SearchAttributeValues {
  return {
    MeshTenant: event.tenant,
    MeshRule: rule.slice(0, 200),
    MeshEvent: event.event,
    MeshTool: plainName(factsOf(event).tool),
    MeshSession: plainName(event.session),
    MeshOutcome: 'running',
    MeshSource: plainName(event.source),
    MeshDepth: event.depth,
  };
}

function plainName(text: string | undefined): string | undefined {
  return text !== undefined && PLAIN_NAME.test(text) ? text : undefined;
}
