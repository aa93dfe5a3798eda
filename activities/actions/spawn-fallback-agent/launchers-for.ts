import type { Agent } from '#config/sections/agents.js';
import type { SpawnRequest } from '#contract/activities.js';
import { chooseLauncher, type ChosenLauncher } from './choose-launcher.js';

/** The launcher that is tried first, then those that are tried in its place, in order. */
export function launchersFor(agents: Record<string, Agent>, { plan }: Pick<SpawnRequest, 'plan'>): ChosenLauncher[] {
  const launchers: ChosenLauncher[] = [];
  let chosen = chooseLauncher(agents, { plan });
  while (chosen) {
    const { next } = chosen;
    launchers.push(chosen);
    chosen = next === undefined ? undefined : chooseLauncher(agents, { plan, launcher: next });
  }
  return launchers;
}
