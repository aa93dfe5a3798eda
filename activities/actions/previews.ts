import type { ActionPlan, ActionType } from '../../contract/actions/index.js';
import type { ActionPreview } from '../../contract/preview.js';
import type { AgentOutcome, PendingAction, RemediationInput } from '../../contract/remediation.js';
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
  const previewed = await preview(
    { plan, remediation, soFar: [], pending: actionsBefore(plan, remediation.actions) },
    desk,
  );
  const { name: action, type, onlyIf, after } = plan;
  const when = onlyIf && `only if ${after ?? 'the action before it'} ${onlyIf === 'failed' ? 'fails' : 'succeeds'}`;
  return { action, type, ...(when !== undefined && { when }), ...previewed };
}

/** Nobody knows what they come to, so messages that tell of it say so, and show where it would stand. */
function actionsBefore({ name, onlyIf }: ActionPlan, actions: ActionPlan[]): PendingAction[] {
  const outcome: AgentOutcome = onlyIf ?? 'running';
  const ownPlace = actions.findIndex((one) => one.name === name);
  return actions.slice(0, ownPlace).map(({ name: action, type }) => ({
    action,
    type,
    status: 'running',
    note: 'what it comes to is not known in a dry run',
    ...(type === 'spawn_fallback_agent' && { agent: { ...AGENT, outcome } }),
  }));
}

const AGENT = { launcher: 'its launcher', id: 'ITS-ID', outputTail: 'THE-END-OF-WHAT-IT-SAID' };
