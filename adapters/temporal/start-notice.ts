import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { FailureType } from '#contract/failures.js';
import { WORKFLOW_TYPES } from '#contract/names.js';
import type { Notice } from '#contract/notice.js';
import { summaryOf } from '#contract/text/shorten.js';
import type { Workflows } from './workflows.js';
import { permanentRefusal } from './permanent-refusal.js';
import { searchAttributePairs } from './search-attributes.js';

/** The id decides here too: a message that was sent, or is being sent, is not sent again. */
export function makeStartNotice(client: Client, taskQueue: string): Workflows['startNotice'] {
  return async (notice) => {
    try {
      await client.workflow.start(WORKFLOW_TYPES.notice, {
        workflowId: notice.id,
        taskQueue,
        args: [notice],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        staticSummary: summaryOf(`${notice.rule}: ${WHAT[notice.kind]}`),
        typedSearchAttributes: searchAttributePairs({
          MeshTenant: notice.tenant,
          MeshRule: notice.rule.slice(0, 200),
        }),
      });
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return;
      const refusal = permanentRefusal(error);
      if (refusal === undefined) throw error;
      throw ApplicationFailure.create({
        type: 'action-error' satisfies FailureType,
        message: refusal,
        nonRetryable: true,
        ...(error instanceof Error && { cause: error }),
      });
    }
  };
}

const WHAT: Record<Notice['kind'], string> = {
  digest: 'what the cooldown kept quiet',
  resolve: 'works again',
};
