import { proxyLocalActivities, rootCause } from '@temporalio/workflow';
import type { StartAnswer, WatchActivities } from '../contract/activities.js';
import type { Firing } from './judge-item.js';
import { MAX_STARTS_PER_CALL } from './limits.js';
import { turnIntoError } from './verdict-log.js';
import type { WatchState } from './watch-state.js';

const { startRemediations } = proxyLocalActivities<Pick<WatchActivities, 'startRemediations'>>({
  startToCloseTimeout: '60 seconds',
  // For as long as the server cannot be reached: guards are armed, so giving up would lose the remediation.
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
  localRetryThreshold: '30 seconds',
  summary: 'starts the remediations of the rules that fired',
});

/**
 * Starts a remediation for each firing. A worker may die after starting some and before that is recorded: the ids make the
 * second try find them, so each runs once.
 */
export async function startFirings(state: WatchState, firings: Firing[], rulesetHash: string): Promise<void> {
  for (let from = 0; from < firings.length; from += MAX_STARTS_PER_CALL) {
    const chunk = firings.slice(from, from + MAX_STARTS_PER_CALL);
    const answers = await start(state.tenant, chunk, rulesetHash);
    chunk.forEach((firing, index) => record(state, firing, answers[index] ?? { error: 'no answer' }));
  }
}

async function start(tenant: string, chunk: Firing[], rulesetHash: string): Promise<StartAnswer[]> {
  try {
    return await startRemediations({ tenant, rulesetHash, firedAt: Date.now(), fires: chunk.map(({ fire }) => fire) });
  } catch (error) {
    return chunk.map(() => ({ error: rootCause(error) ?? String(error) }));
  }
}

function record(state: WatchState, { entries }: Firing, answer: StartAnswer): void {
  if ('error' in answer) return turnIntoError(state, entries, `remediation could not be started: ${answer.error}`);
  for (const entry of entries) entry.remediation = answer.remediation;
}
