import { condition } from '@temporalio/workflow';
import type { ActionPlan } from '#contract/actions/index.js';
import { isAwaited, patienceMsWith } from '#contract/patience.js';
import { summaryOf } from '#contract/text/shorten.js';
import type { Progress } from './progress.js';

/** Actions run in order, but those that come after must not starve while one takes long or is tried again. */
export async function untilNextMayStart(
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
