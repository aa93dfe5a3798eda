import type { AgentRequest } from '#contract/agent-request.js';
import type { Launch } from './launch.js';

export function agentRequestOf(launch: Launch): AgentRequest {
  const { plan, remediation } = launch.request;
  const { rule, event } = remediation;
  return {
    effectKey: launch.effectKey,
    agentType: launch.agentType,
    ...(plan.model !== undefined && { model: plan.model }),
    description: launch.description,
    prompt: launch.prompt,
    tenant: event.tenant,
    depth: launch.lineage.depth,
    lineage: launch.lineageToken,
    root: launch.lineage.root,
    session: launch.session,
    remediation: remediation.id,
    rule,
    action: plan.name,
    event: { id: event.id, event: event.event, outcome: event.outcome },
  };
}
