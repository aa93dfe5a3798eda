import type { OutboundRequest } from '#adapters/http/create-outbound.js';
import type { AgentEndpoint } from '#config/sections/agent-endpoint.js';
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

/** The POST to a runtime. `resolve` finds the secret that is written somewhere; it rejects when that cannot be had. */
export async function endpointRequest(
  launch: Launch,
  { url, token, headers, timeoutMs }: AgentEndpoint,
  resolve: (written: string) => Promise<string>,
): Promise<OutboundRequest> {
  const bearer = token === undefined ? undefined : await resolve(token);
  const own = await Promise.all(
    Object.entries(headers).map(async ([name, written]) => ({ name, written, value: await resolve(written) })),
  );
  const secrets = own.filter(({ written, value }) => written !== value).map(({ value }) => value);
  return {
    url,
    method: 'POST',
    headers: {
      accept: 'application/json',
      ...Object.fromEntries(own.map(({ name, value }) => [name, value])),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      'content-type': 'application/json',
      'idempotency-key': launch.effectKey,
    },
    body: JSON.stringify(agentRequestOf(launch)),
    timeoutMs,
    secrets: bearer === undefined ? secrets : [bearer, ...secrets],
  };
}
