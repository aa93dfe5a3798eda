import type { ActionActivities, EndRequest } from '#contract/activities.js';
import type { AgentKnown } from '#contract/attempt.js';
import { loadConfig } from '../../load-config.js';
import type { World } from '../../world.js';
import { endLeftovers } from '#adapters/process/leftovers.js';
import { leftoversOf } from './launch.js';

type EndWorld = Pick<World, 'config' | 'agentWorkflows' | 'lineageKey'>;

/**
 * Ends an agent whose remediation was aborted between two attempts, or after its worker had died: there was no attempt that
 * could have done it.
 */
export function makeEndFallbackAgent(world: EndWorld): ActionActivities['endFallbackAgent'] {
  return async (request) => {
    const { agents } = await loadConfig(world.config);
    const { launcher } = request.agent;
    const kind = Object.hasOwn(agents, launcher) ? agents[launcher]?.kind : undefined;
    switch (kind) {
      case 'command':
      case 'preset':
        // One that its worker left on another machine was ended by its guard.
        await endLeftovers(leftoversOf(request, [], world));
        return ended(request, 'failed');
      case 'temporal':
        return endWorkflow(request, world);
      case 'http':
      case undefined:
        return { state: 'left', agent: request.agent };
    }
  };
}

async function endWorkflow(request: EndRequest, { agentWorkflows }: EndWorld): Promise<AgentKnown> {
  const { agent, plan } = request;
  const end = await agentWorkflows.cancel(agent.id ?? plan.effectKey);
  if (!end) return { state: 'left', agent };
  return ended(request, end.ended === 'completed' ? 'success' : 'failed');
}

function ended({ agent: { mayNotExist: _known, ...agent } }: EndRequest, outcome: 'success' | 'failed'): AgentKnown {
  return { state: 'ended', agent: { ...agent, outcome } };
}
