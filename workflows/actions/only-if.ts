import type { ActionPlan } from '../../contract/actions/index.js';
import type { OnlyIf } from '../../contract/actions/of-every-action.js';
import type { ActionResult, ActionStatus } from '../../contract/remediation.js';

/** Why an action with `onlyIf` is not to run, given how the action before it ended; nothing when it is. */
export function whyNot({ onlyIf, after }: ActionPlan, before: ActionResult | undefined): string | undefined {
  if (onlyIf === undefined || before?.status === NEEDED[onlyIf]) return undefined;
  const wanted = onlyIf === 'failed' ? 'fails' : 'succeeds';
  if (after === undefined) return `runs only if the action before it ${wanted}, and it is the first of its rule`;
  const found = before ? `${after} was ${before.status}` : `${after} did not fire`;
  return `runs only if ${after} ${wanted}, and ${before?.status === 'failed' ? `${after} failed` : found}`;
}

/** What was skipped or aborted is neither. */
const NEEDED: Record<OnlyIf, ActionStatus> = { failed: 'failed', success: 'executed' };
