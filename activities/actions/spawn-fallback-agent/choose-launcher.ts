import type { Agent } from '#config/sections/agents.js';
import type { SlotQuestion } from '#contract/activities.js';

/** Why an action fails for whose agent type, and for none other, anything is configured. */
export const NO_LAUNCHER = 'No fallback agent launcher is registered in runtime context';

export interface ChosenLauncher {
  name: string;
  agent: Agent;
  /** Not the one that the rule asks for, but one that is tried in its place. */
  isFallback: boolean;
  /** The one to try when this one fails for good. */
  next: string | undefined;
}

type Wanted = Pick<SlotQuestion, 'agentType' | 'launcher'> & Partial<Pick<SlotQuestion, 'tried'>>;

/** Own keys only: a type called "constructor" is no agent. */
export function chooseLauncher(
  agents: Record<string, Agent>,
  { agentType = 'default', launcher, tried = [] }: Wanted,
): ChosenLauncher | undefined {
  const first = Object.hasOwn(agents, agentType) ? agentType : 'default';
  const order = launchOrder(agents, first);
  // Taken out of the configuration meanwhile: those after it are still there.
  const isGone = launcher !== undefined && !Object.hasOwn(agents, launcher);
  const name = isGone ? order.find((one) => !tried.includes(one)) : (launcher ?? first);
  const agent = name !== undefined && Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (name === undefined || !agent) return undefined;
  const index = order.indexOf(name);
  const next = index < 0 ? undefined : order.slice(index + 1).find((one) => !tried.includes(one));
  return { name, agent, isFallback: name !== first, next };
}

/** A launcher, then its fallbacks, each followed by its own; none twice. */
function launchOrder(agents: Record<string, Agent>, first: string, before: readonly string[] = []): string[] {
  if (before.includes(first) || !Object.hasOwn(agents, first)) return [...before];
  const fallbacks = agents[first]?.fallbacks ?? [];
  return fallbacks.reduce((order, fallback) => launchOrder(agents, fallback, order), [...before, first]);
}

/** The launcher that is tried first, then those that are tried in its place, in order. */
export function launchersFor(
  agents: Record<string, Agent>,
  { agentType }: Pick<SlotQuestion, 'agentType'>,
): ChosenLauncher[] {
  const of = agentType === undefined ? {} : { agentType };
  const launchers: ChosenLauncher[] = [];
  let chosen = chooseLauncher(agents, of);
  while (chosen) {
    const { next } = chosen;
    launchers.push(chosen);
    chosen = next === undefined ? undefined : chooseLauncher(agents, { ...of, launcher: next });
  }
  return launchers;
}

/** A program runs on the machine of the worker, which sees its end. What a service or another workflow runs does not. */
export function isElsewhere(kind: Agent['kind']): kind is 'http' | 'temporal' {
  return kind === 'http' || kind === 'temporal';
}
