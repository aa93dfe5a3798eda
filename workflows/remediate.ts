import {
  ApplicationFailure,
  CancellationScope,
  defineQuery,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import { QUERIES, SEARCH_ATTRIBUTES } from '../contract/names.js';
import type { FailureType } from '../contract/failures.js';
import type { ActionPlan, RemediationInput, RemediationProgress, RemediationResult } from '../contract/remediation.js';
import { summaryOf } from '../contract/summary.js';
import { runAction } from './actions.js';
import { PATIENCE_MS } from './limits.js';
import { type Progress, createProgress } from './progress.js';
import { renderRemediationDetails } from './remediation-details.js';

/**
 * The workflow of one fired rule: runs its actions in order. A failed action never stops the next, and one that takes long
 * does not hold it up for ever. Cancelling the workflow is the abort.
 */
export async function remediate(input: RemediationInput): Promise<RemediationResult> {
  const progress = createProgress(input, showDetails);
  setHandler(defineQuery<RemediationProgress>(QUERIES.progress), () => progress.now(), {
    description: 'What each action has come to so far.',
  });
  showDetails(progress);

  const running: Promise<void>[] = [];
  // When an operator has it retried, what was done before stays done.
  const due = input.actions.filter(({ name }) => progress.of(name).state !== 'done');
  for (const [index, plan] of due.entries()) {
    const run = runAction(plan, input, progress);
    running.push(run);
    if (index < due.length - 1) await waitPatiently(run, plan);
  }
  await Promise.all(running);

  const result = progress.result();
  upsertSearchAttributes([{ key: OUTCOME, value: result.outcome }]);
  showDetails(progress);
  if (result.outcome === 'failed') throw failure(result);
  return result;

  function showDetails(now: Progress): void {
    setCurrentDetails(renderRemediationDetails(input, now));
  }
}

const OUTCOME = defineSearchAttributeKey('MeshOutcome', SEARCH_ATTRIBUTES.MeshOutcome);

/** Waits until the action is done, but only so long: the ones after it must not starve while it retries. */
async function waitPatiently(run: Promise<void>, plan: ActionPlan): Promise<void> {
  const timer = new CancellationScope();
  const patience = timer
    .run(() => sleep(PATIENCE_MS, { summary: summaryOf(`goes on if not done by then: ${plan.name}`) }))
    // Cancelled because the action is done, or because the remediation is aborted: in both cases the wait is over.
    .catch(() => undefined);
  await Promise.race([run, patience]);
  timer.cancel();
}

/** Closes the workflow as failed, so that operators see red, with the whole result in the details. */
function failure(result: RemediationResult): ApplicationFailure {
  const failed = result.actions.filter(({ status }) => status === 'failed');
  const error = ApplicationFailure.create({
    type: 'remediation-failed' satisfies FailureType,
    nonRetryable: true,
    message: failed.map(({ action, reason }) => `${action}: ${reason ?? 'failed'}`).join('; '),
    details: [result],
  });
  // Where in our code it was made tells an operator nothing, and stands above the result in the UI.
  error.stack = '';
  return error;
}
