import type { MeshConfig } from '../../../config/mesh-config.js';
import type { AttemptDetails, SpawnRequest } from '../../../contract/activities.js';
import { fallbackEffectKey } from '../../../contract/ids.js';
import { agentSession } from '../../../rules/agent-session.js';
import { defaultSpawnDescription } from '../../../rules/default-texts.js';
import { lastAgentBefore } from '../../../rules/last-agent.js';
import { claimsFor } from '../../../rules/lineage/claims.js';
import { signLineage } from '../../../rules/lineage/sign.js';
import { promptFor } from '../../../rules/prompt.js';
import { renderTemplate, type TemplateContext } from '../../../rules/template.js';
import { oneLine } from '../../../rules/one-line.js';
import { redactorOf } from '../../redactor-of.js';
import type { World } from '../../world.js';
import type { ChosenLauncher } from './choose-launcher.js';
import type { Launch } from './launch.js';

export interface LaunchFacts {
  request: SpawnRequest;
  config: MeshConfig;
  chosen: ChosenLauncher;
  details: AttemptDetails;
  /** Tells this try of the action, with all its attempts, from every other one. */
  tryKey: string;
  attempt: number;
  now: number;
  /** When this attempt began, as `performance.now()` counts. */
  startedAt: number;
}

const MAX_DESCRIPTION_CHARS = 500;

/** Writes what the agent is asked and told, the same for every kind of launcher. */
export function prepareLaunch(
  { request, config, chosen, details, tryKey, attempt, now, startedAt }: LaunchFacts,
  { redactKeys, lineageKey }: Pick<World, 'redactKeys' | 'lineageKey'>,
): Launch {
  const { plan, remediation } = request;
  const { name, agent, next } = chosen;
  const redactor = redactorOf(config, redactKeys);
  const effectKey = keyOf(request, chosen);
  const sessionOf = (number: number) => agentSession(`${effectKey} ${tryKey} ${number}`);
  // A program that is run again must not take up the session of the run before; elsewhere, who asks again must ask for the same.
  const isProgram = agent.kind === 'command' || agent.kind === 'preset';
  const lineage = claimsFor(remediation, now);
  const { rule, event } = remediation;
  const context: TemplateContext = { rule, event, agent: lastAgentBefore(request), redactor };
  return {
    request,
    config,
    redactor,
    launcher: name,
    next,
    effectKey,
    session: isProgram ? sessionOf(attempt) : agentSession(effectKey),
    earlierSessions: Array.from({ length: attempt - 1 }, (_, index) => sessionOf(index + 1)),
    agentType: plan.agentType ?? 'default',
    description: describe(plan.description, context),
    prompt: promptFor(plan.promptTemplate, context),
    lineage,
    lineageToken: signLineage(lineage, lineageKey),
    timeoutMs: Math.min(plan.timeoutMs, agent.timeoutMs ?? Infinity),
    startedAt,
    details,
  };
}

/**
 * A service starts one agent for a key. When an operator wants the action tried again, and the agent of the last key is known to
 * have ended, the retry has a key of its own, the same for all its attempts. Else that agent may be at work, and is asked for again.
 */
function keyOf({ plan, remediation }: SpawnRequest, { name, agent, isFallback }: ChosenLauncher): string {
  const key = isFallback ? fallbackEffectKey(plan.effectKey, name) : plan.effectKey;
  if (agent.kind !== 'http') return key;
  const ended = remediation.earlier?.find(
    (one) => one.action === plan.name && one.status === 'failed' && one.agent?.launcher === name,
  );
  // Its session was made of the key that it was asked for with, so the next retry gets another one.
  const session = ended?.agent?.session;
  return session === undefined ? key : `${key}~retry-${session.slice(0, RETRY_CHARS)}`;
}

/** Enough to tell the retries of one action apart. */
const RETRY_CHARS = 8;

function describe(template: string | undefined, context: TemplateContext): string {
  const text = template === undefined ? defaultSpawnDescription(context.event) : renderTemplate(template, context);
  return oneLine(text, MAX_DESCRIPTION_CHARS);
}
