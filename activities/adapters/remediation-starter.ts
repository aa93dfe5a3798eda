import {
  type Client,
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/client';
import { defineSearchAttributeKey, type SearchAttributePair, type SearchAttributeType } from '@temporalio/common';
import type { StartAnswer } from '../../contract/activities.js';
import { SEARCH_ATTRIBUTES, type SearchAttributeName, WORKFLOW_TYPES } from '../../contract/names.js';
import type { RemediationInput } from '../../contract/remediation.js';
import { describeRemediation, summariseRemediation } from '../describe-remediation.js';
import { readField } from '../../rules/read-field.js';

export interface RemediationStarter {
  start(plan: RemediationInput): Promise<StartAnswer>;
}

/**
 * Starts remediations on the worker's own connection, so that the server may hand the first task straight to this worker.
 */
export function createRemediationStarter(client: Client, taskQueue: string): RemediationStarter {
  return {
    async start(plan) {
      try {
        await client.workflow.start(WORKFLOW_TYPES.remediate, {
          workflowId: plan.id,
          taskQueue,
          args: [plan],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          requestEagerStart: true,
          staticSummary: summariseRemediation(plan),
          staticDetails: describeRemediation(plan),
          typedSearchAttributes: searchAttributesOf(plan),
        });
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return { remediation: plan.id };
        const refusal = permanentRefusal(error);
        if (refusal === undefined) throw error;
        return { error: refusal };
      }
      return { remediation: plan.id };
    },
  };
}

/** What no retry can mend: the watch must say so and go on. Anything else is thrown, and tried again. */
const PERMANENT_CODES = new Set([3 /* INVALID_ARGUMENT */, 9 /* FAILED_PRECONDITION */]);

function permanentRefusal(error: unknown): string | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!isGrpcServiceError(cause) || !PERMANENT_CODES.has(cause.code)) return undefined;
  return cause.details;
}

/** Search attributes are stored in clear, so only names go in, and a name that looks like a text stays out. */
const PLAIN_NAME = /^[\w.:@/+=~-]{1,200}$/;

function searchAttributesOf({ event, rule }: RemediationInput): SearchAttributePair[] {
  const values: Record<SearchAttributeName, string | number | undefined> = {
    MeshTenant: event.tenant,
    MeshRule: rule.slice(0, 200),
    MeshEvent: event.event,
    MeshTool: plainName(readField(event.payload, 'tool')),
    MeshSession: plainName(event.session),
    MeshOutcome: 'running',
    MeshSource: plainName(event.source),
    MeshDepth: event.depth,
  };
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const type: SearchAttributeType = SEARCH_ATTRIBUTES[name as SearchAttributeName];
    return [{ key: defineSearchAttributeKey(name, type), value } as SearchAttributePair];
  });
}

function plainName(text: string | undefined): string | undefined {
  return text !== undefined && PLAIN_NAME.test(text) ? text : undefined;
}
