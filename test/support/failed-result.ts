import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { RemediationResult } from '#contract/remediation.js';

/** Waits for a remediation that must close as failed, and gives the result it carries in the failure's details. */
export async function failedResult(running: Promise<unknown>): Promise<RemediationResult> {
  const error = await running.then(
    () => new Error('the remediation did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof ApplicationFailure)) throw error;
  if (error.cause.type !== 'remediation-failed') throw error;
  return error.cause.details?.[0] as RemediationResult;
}
