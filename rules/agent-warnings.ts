import { didYouMean } from '#contract/text/nearest.js';
import type { Problem } from '#contract/text/problem.js';
import type { Ruleset } from '#contract/ruleset.js';
import { actionsThatMayRun } from './actions-that-may-run.js';
import type { KnownNames } from './known-names.js';

const DEFAULT = 'default';

/** Agent types in rules that `mesh.yaml` does not have: another program is started than was meant, or none. */
export function agentWarnings(ruleset: Ruleset, { agents }: Pick<KnownNames, 'agents'>): Problem[] {
  const instead = agents.includes(DEFAULT) ? `"${DEFAULT}" is started in its place` : 'nothing is started';
  return actionsThatMayRun(ruleset, 'spawn_fallback_agent').flatMap(({ action, at }) => {
    const { agentType = DEFAULT } = action;
    if (agents.includes(agentType)) return [];
    const message = `mesh.yaml has no agent "${agentType}": ${instead}`;
    const hint = didYouMean(agentType, agents, `agents there: ${agents.join(', ') || 'none'}`);
    return [{ path: at('agentType'), message, hint }];
  });
}
