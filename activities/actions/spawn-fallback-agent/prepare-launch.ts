import type { MeshConfig } from '#config/mesh-config.js';
import type { SpawnRequest } from '#contract/activities.js';
import { fallbackEffectKey, retryEffectKey } from '#contract/ids.js';
import type { StartedAgent } from '#contract/remediation.js';
import { sha256 } from '#contract/hash.js';
import { lastAgentBefore } from '../last-agent.js';
import { claimsFor } from '#rules/lineage/claims.js';
import { signLineage } from '#rules/lineage/sign.js';
import { defaultSpawnDescription, promptFor } from './prompt.js';
import { renderTemplate, type TemplateContext } from '#contract/text/template.js';
import { oneLine } from '#contract/text/plain-text.js';
import { redactorOf } from '../../redactor-of.js';
import type { World } from '../../world.js';
import { type ChosenLauncher, isElsewhere } from './choose-launcher.js';
import type { Launch } from './launch.js';

export interface LaunchInput {
  request: SpawnRequest;
  config: MeshConfig;
  chosen: Pick<ChosenLauncher, 'name' | 'agent' | 'isFallback'>;
  /** Tells this try of the action, with all its attempts, from every other one. */
  tryKey: string;
  attempt: number;
  /** When this attempt began, as `performance.now()` counts. */
  startedAt: number;
}

const MAX_DESCRIPTION_CHARS = 500;

/** Writes what the agent is asked and told, the same for every kind of launcher. */
export function prepareLaunch(
  { request, config, chosen, tryKey, attempt, startedAt }: LaunchInput,
  { redactKeys, lineageKey }: Pick<World, 'redactKeys' | 'lineageKey'>,
): Launch {
  const { plan, remediation } = request;
  const { name, agent } = chosen;
  const redactor = redactorOf(config, redactKeys);
  const effectKey = effectKeyOf(request, chosen);
  const sessionOf = (number: number) => agentSession(`${effectKey} ${tryKey} ${number}`);
  // A request that is sent again says the same, whichever attempt of whichever activity sends it.
  const lineage = claimsFor(remediation, request.startedAt);
  const { rule, event } = remediation;
  const context: TemplateContext = { rule, event, agent: lastAgentBefore(request), redactor };
  return {
    request,
    config,
    redactor,
    launcher: name,
    effectKey,
    // A program that is run again must not take up the session of the run before; elsewhere, who asks again must ask for the same.
    session: isElsewhere(agent.kind) ? agentSession(effectKey) : sessionOf(attempt),
    earlierSessions: Array.from({ length: attempt - 1 }, (_, index) => sessionOf(index + 1)),
    agentType: plan.agentType ?? 'default',
    description: describe(plan.description, context),
    prompt: promptFor(plan.promptTemplate, context),
    lineage,
    lineageToken: signLineage(lineage, lineageKey),
    timeoutMs: Math.min(plan.timeoutMs, agent.timeoutMs ?? Infinity),
    startedAt,
  };
}

/**
 * Services and the Temporal server start one agent for a key. When an operator wants the action tried again, and the agent of
 * the last key is known to have ended, the retry has a key of its own, the same for all its attempts. Else that agent may be at
 * work, and is asked for again.
 */
function effectKeyOf(
  { plan, remediation }: Pick<SpawnRequest, 'plan' | 'remediation'>,
  { name, agent, isFallback }: LaunchInput['chosen'],
): string {
  const key = isFallback ? fallbackEffectKey(plan.effectKey, name) : plan.effectKey;
  if (!isElsewhere(agent.kind)) return key;
  const ended = endedAgents({ plan, remediation });
  const last = ended.findLast(({ launcher }) => launcher === name)?.session;
  let unused = last === undefined ? key : retryEffectKey(key, last);
  // The session of an agent elsewhere was made of the key that it was asked for with. That of the first launcher does not name
  // it: the one before may have been called otherwise, and have used the key up.
  const used = new Set(ended.map(({ session }) => session));
  for (let session = agentSession(unused); used.delete(session); session = agentSession(unused)) {
    unused = retryEffectKey(key, session);
  }
  return unused;
}

/** Oldest first. */
function endedAgents({ plan, remediation }: Pick<SpawnRequest, 'plan' | 'remediation'>): StartedAgent[] {
  const ofThis = (remediation.earlier ?? []).filter(
    ({ action, status }) => action === plan.name && status === 'failed',
  );
  return ofThis.flatMap(({ agent }) => agent ?? []);
}

function describe(template: string | undefined, context: TemplateContext): string {
  const text = template === undefined ? defaultSpawnDescription(context.event) : renderTemplate(template, context);
  return oneLine(text, MAX_DESCRIPTION_CHARS);
}

/** A session id for an agent, the same for the same key. It looks like a random UUID, since most programs take nothing else. */
export function agentSession(key: string): string {
  const hex = sha256(`agent session ${key}`);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}
