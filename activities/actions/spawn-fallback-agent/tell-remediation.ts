import type { StartedAgent } from '../../../contract/remediation.js';
import type { Launch, LaunchWorld } from './launch.js';

/** Lets the next action of the remediation start while this agent works. Never rejects. */
export async function tellRemediation(
  { request, details }: Launch,
  agent: StartedAgent,
  { workflows }: LaunchWorld,
): Promise<void> {
  details.agent = agent;
  const { plan, remediation } = request;
  // A remediation that does not hear of it goes on by itself after a while. Nothing of that is worth ending an agent for.
  await workflows
    .tellRemediation(remediation.id, { action: plan.name, state: 'launched', agent })
    .catch(() => undefined);
}
