import type { StartedAgent } from '#contract/remediation.js';
import type { Launch, LaunchWorld } from './launch.js';
import { ticketOf } from './take-slot.js';

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

/**
 * The service or the server is about to be asked for an agent. Should the remediation be aborted between two attempts, only
 * this tells it that there may be one. Never rejects.
 */
export async function tellAsked(launch: Launch, { workflows }: LaunchWorld): Promise<void> {
  const { request, details } = launch;
  const { agent } = details;
  if (!agent) return;
  const { plan, remediation } = request;
  await workflows
    .tellRemediation(remediation.id, { action: plan.name, state: 'asked', agent, attempt: ticketOf(launch).claim })
    .catch(() => undefined);
}

/** This attempt was not heard, or refused, and none before it may have started one. Never rejects. */
export async function tellNotStarted(launch: Launch, { workflows }: LaunchWorld): Promise<void> {
  const { plan, remediation } = launch.request;
  await workflows
    .tellRemediation(remediation.id, { action: plan.name, state: 'not-started', attempt: ticketOf(launch).claim })
    .catch(() => undefined);
}
