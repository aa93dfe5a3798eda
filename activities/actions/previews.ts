import type { ActionPlan, ActionType } from '#contract/actions/index.js';
import type { ActionPreview } from '#contract/preview.js';
import type { ActionResult, ActionStatus, PendingAction, RemediationInput } from '#contract/remediation.js';
import { runsOnlyIf } from '#contract/runs-only-if.js';
import { assumedBefore } from './assumed-before.js';
import { previewNotifyTeam } from './notify-team/preview.js';
import type { PreviewDesk, Previewer } from './preview.js';
import { previewSpawnFallbackAgent } from './spawn-fallback-agent/preview.js';
import { previewWarmRemoteCapacity } from './warm-remote-capacity/preview.js';

/** How each type of action is shown: a new type does not compile until it stands here. See docs/adding-an-action.md. */
const PREVIEWS: { [Type in ActionType]: Previewer<Extract<ActionPlan, { type: Type }>> } = {
  spawn_fallback_agent: previewSpawnFallbackAgent,
  notify_team: previewNotifyTeam,
  warm_remote_capacity: previewWarmRemoteCapacity,
};

/** What each action of a remediation would do, in order. */
export async function previewActions(remediation: RemediationInput, desk: PreviewDesk): Promise<ActionPreview[]> {
  return Promise.all(remediation.actions.map((plan) => previewAction(plan, remediation, desk)));
}

async function previewAction(
  plan: ActionPlan,
  remediation: RemediationInput,
  desk: PreviewDesk,
): Promise<ActionPreview> {
  // The table pairs each type with a previewer of its plans, which the compiler cannot follow through a union.
  const preview = PREVIEWS[plan.type] as Previewer<ActionPlan>;
  const before = assumedBefore(plan, remediation.actions, desk.config.agents);
  const previewed = await preview({ plan, remediation, ...before }, desk);
  const { name: action, type } = plan;
  const when = runsOnlyIf(plan, remediation.actions);
  const supposing = [...before.soFar, ...before.pending].map((one) => `${one.action} ${howItStands(one)}`);
  return {
    action,
    type,
    ...(when !== undefined && { when }),
    ...(supposing.length > 0 && { supposing }),
    ...previewed,
  };
}

function howItStands({ status, agent }: ActionResult | PendingAction): string {
  return agent?.outcome === 'running' ? 'was started' : HOW_IT_STANDS[status];
}

const HOW_IT_STANDS: Record<ActionStatus | PendingAction['status'], string> = {
  executed: 'went well',
  failed: 'failed',
  skipped: 'was not needed',
  aborted: 'was aborted',
  running: 'is still running',
  waiting: 'is still waiting',
};
