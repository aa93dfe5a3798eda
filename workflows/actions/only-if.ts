import type { ActionPlan } from '#contract/actions/index.js';
import type { OnlyIf } from '#contract/actions/of-every-action.js';
import type { ActionResult, ActionStatus } from '#contract/remediation.js';

/** The action that one with `onlyIf` looks at, and its result if it fired. */
export interface Before {
  name: string;
  result: ActionResult | undefined;
  /** A limit of the chain kept it from firing. */
  isRefused?: boolean;
}

/** Why an action with `onlyIf` is not to run, given how the action before it ended; nothing when it is. */
export function whyNot({ onlyIf }: ActionPlan, before: Before | undefined): string | undefined {
  if (onlyIf === undefined || before?.result?.status === NEEDED[onlyIf]) return undefined;
  // Who is to be woken when no agent could help wants to hear of this one too.
  if (onlyIf === 'failed' && before?.isRefused) return undefined;
  const wanted = onlyIf === 'failed' ? 'fails' : 'succeeds';
  if (before === undefined) return `runs only if the action before it ${wanted}, and there is none`;
  const { name, result } = before;
  const found = result ? `${name} was ${result.status}` : `${name} did not fire`;
  return `runs only if ${name} ${wanted}, and ${result?.status === 'failed' ? `${name} failed` : found}`;
}

/**
 * Not needed, because of its own `onlyIf`: whoever comes after looks past it. So "an agent; if it succeeds, praise; if it fails,
 * wake someone" wakes someone.
 */
export function isPassedOver(plan: ActionPlan | undefined, result: ActionResult | undefined): boolean {
  return (
    plan?.onlyIf !== undefined && plan.refused === undefined && result?.status === 'skipped' && result.attempts === 0
  );
}

/** What was skipped or aborted is neither. */
const NEEDED: Record<OnlyIf, ActionStatus> = { failed: 'failed', success: 'executed' };
