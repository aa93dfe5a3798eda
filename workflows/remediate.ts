import {
  condition,
  defineQuery,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import { QUERIES, SEARCH_ATTRIBUTES } from '#contract/names.js';
import type { ActionResult, RemediationInput, RemediationProgress, RemediationResult } from '#contract/remediation.js';
import { namesIn } from '#rules/guards/works.js';
import { runAction } from './actions/run-action.js';
import { listenForAgents } from './agent-news.js';
import { finalFailure } from './final-failure.js';
import { createProgress, type Progress } from './progress.js';
import { renderRemediationDetails } from './remediation-details.js';
import { tellRecord } from './tell-record.js';
import { listenForSlots } from './slot-grants.js';
import type { ActionPlan } from '#contract/actions/index.js';
import { isAwaited, patienceMsWith } from '#contract/patience.js';
import { summaryOf } from '#contract/text/shorten.js';

/**
 * The workflow of one fired rule: runs its actions in order. A failed action never stops the next, and one that takes long
 * does not hold it up for ever. Cancelling the workflow is the abort.
 */
export async function remediate(input: RemediationInput): Promise<RemediationResult> {
  const progress = createProgress(input, showDetails);
  // First of all: an agent may tell of its end before anything else has happened here.
  const agentEnds = listenForAgents((action, agent) => progress.show(action, { agent, doing: undefined }));
  const slotGrants = listenForSlots();
  setHandler(defineQuery<RemediationProgress>(QUERIES.progress), () => progress.now(), {
    description: 'What each action has come to so far.',
  });
  showDetails(progress);

  const running = new Map<string, Promise<void>>();
  const refusals = new Map<string, Promise<string | undefined>>();
  const due = input.actions.filter(({ name }) => progress.of(name).state !== 'done');
  for (const [index, plan] of due.entries()) {
    const endOf = (action: string) => running.get(action);
    const run = runAction(plan, { remediation: input, progress, agentEnds, slotGrants, endOf, refusals });
    running.set(plan.name, run);
    const next = due[index + 1];
    if (next) await untilNextMayStart(plan, next, run, progress);
  }
  await Promise.all(running.values());

  const result = progress.result();
  upsertSearchAttributes([{ key: OUTCOME, value: result.outcome }]);
  showDetails(progress);
  if (!input.isTry) tellEnd(input, result.outcome);
  // Also when it was aborted after that: what gave up by itself was nobody's choice.
  if (result.actions.some(hasFailed)) throw failure(result);
  return result;

  function showDetails(now: Progress): void {
    setCurrentDetails(renderRemediationDetails(input, now.now()));
  }
}

const OUTCOME = defineSearchAttributeKey('MeshOutcome', SEARCH_ATTRIBUTES.MeshOutcome);

function tellEnd({ rule, event }: RemediationInput, outcome: RemediationResult['outcome']): void {
  const { workflowId: remediation, startTime } = workflowInfo();
  const { tool } = namesIn(event);
  const at = Date.now();
  const about = {
    eventId: event.id,
    event: event.event,
    eventOutcome: event.outcome,
    ...(tool !== undefined && { tool }),
  };
  const tookMs = at - startTime.getTime();
  tellRecord(event.tenant, [{ kind: 'ending', remediation, rule, ...about, outcome, at, tookMs }]);
}

function hasFailed({ status }: ActionResult): boolean {
  return status === 'failed';
}

/** Closes the workflow as failed, so that operators see red, with the whole result in the details. */
function failure(result: RemediationResult): Error {
  const failed = result.actions.filter(hasFailed).map(({ action, reason }) => `${action}: ${reason ?? 'failed'}`);
  return finalFailure('remediation-failed', failed.join('; '), [result]);
}

/** Actions run in order, but those that come after must not starve while one takes long or is tried again. */
async function untilNextMayStart(
  plan: ActionPlan,
  next: ActionPlan,
  run: Promise<void>,
  progress: Progress,
): Promise<void> {
  if (isAwaited(plan)) return run;
  // It waits by itself, for as long as it takes, and holds up the one after it no longer than any other does.
  if (next.onlyIf !== undefined && next.after === plan.name) return;
  const mayStart = () => {
    const state = progress.of(plan.name);
    return state.state === 'done' || (state.state === 'running' && state.agent !== undefined);
  };
  const summary = summaryOf(`goes on if not done by then: ${plan.name}`);
  // Rejects when the remediation is aborted: then the wait is over too.
  await condition(mayStart, patienceMsWith(plan), { summary }).catch(() => false);
}
