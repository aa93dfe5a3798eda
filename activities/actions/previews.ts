import type { ActionPlan, ActionType } from '#contract/actions/index.js';
import type { ActionPreview } from '#contract/preview.js';
import type { RemediationInput } from '#contract/remediation.js';
import { runsOnlyIf } from '#contract/runs-only-if.js';
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
  return Promise.all(remediation.actions.map((plan, place) => previewAction(plan, place, remediation, desk)));
}

async function previewAction(
  plan: ActionPlan,
  place: number,
  remediation: RemediationInput,
  desk: PreviewDesk,
): Promise<ActionPreview> {
  // The table pairs each type with a previewer of its plans, which the compiler cannot follow through a union.
  const preview = PREVIEWS[plan.type] as Previewer<ActionPlan>;
  // Nobody knows how those before it will end, so nothing is supposed of them: they are shown as not begun.
  const before = remediation.actions.slice(0, place);
  const pending = before.map(({ name, type }) => ({ action: name, type, status: 'waiting' as const }));
  const previewed = await preview({ plan, remediation, soFar: [], pending }, desk);
  const when = runsOnlyIf(plan, remediation.actions);
  return {
    ...{ action: plan.name, type: plan.type },
    ...(when !== undefined && { when }),
    ...(before.length > 0 && { unknown: before.map(({ name }) => name) }),
    ...previewed,
  };
}
