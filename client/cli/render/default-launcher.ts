import { visible } from '#contract/text/plain-text.js';
import type { ActionState, RemediationDetail } from '../../remediation-views.js';

/**
 * That another launcher was taken than the rule asks for: most often its agent type is misspelt. The record has launchers only.
 * One of the agent type itself would have been tried first, so `default` as the first means that there was none.
 */
export function defaultLauncherLines(state: ActionState, actions: RemediationDetail['actions']): string[] {
  const plan = actions.find(({ name }) => name === state.action);
  const wanted = plan?.type === 'spawn_fallback_agent' ? plan.agentType : undefined;
  const first = state.launches?.[0]?.launcher ?? state.agent?.launcher;
  if (wanted === undefined || wanted === DEFAULT || first !== DEFAULT) return [];
  return [`launcher ${DEFAULT} was taken, since mesh.yaml had none for ${visible(wanted)}`];
}

const DEFAULT = 'default';
