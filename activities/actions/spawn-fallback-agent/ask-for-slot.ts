import { Context } from '@temporalio/activity';
import type { ActionActivities } from '#contract/activities.js';
import { failure } from '../../fail.js';
import { loadConfig } from '../../load-config.js';
import type { World } from '../../world.js';
import { chooseLauncher, NO_LAUNCHER } from './choose-launcher.js';

/** Finds the launcher that is to be tried, and asks for a slot of it in the name of the remediation, which is told of it. */
export function makeAskForSlot({
  config,
  workflows,
}: Pick<World, 'config' | 'workflows'>): ActionActivities['askForSlot'] {
  return async (question) => {
    const { agents } = await loadConfig(config);
    const chosen = chooseLauncher(agents, question);
    if (!chosen) {
      const { launcher } = question;
      const message = launcher === undefined ? NO_LAUNCHER : noLonger(launcher);
      throw failure({ type: 'no-launcher', message, isFinal: true, attempts: 1 });
    }
    const { name: launcher, agent, isFallback, next } = chosen;
    const max = agent.maxConcurrent;
    const { workflowId: holder = '', runId: run = '' } = Context.current().info.workflowExecution ?? {};
    const slots = await workflows.askForSlot(launcher, { key: question.key, holder, run, max });
    return { launcher, isFallback, ...(next !== undefined && { next }), slots, max };
  };
}

/** It has left the configuration meanwhile. */
export function noLonger(launcher: string): string {
  return `The launcher ${launcher} is no longer configured for this agent type`;
}
