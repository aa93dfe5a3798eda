import { rootCause } from '@temporalio/workflow';
import type { StartAnswer } from '../contract/activities.js';
import { byteLength } from './byte-length.js';
import type { Firing } from './judge-item.js';
import { MAX_BATCH_BYTES, MAX_STARTS_PER_CALL } from './limits.js';
import { turnIntoError } from './verdict-log.js';
import { starting } from './watch-activities.js';
import type { WatchState } from './watch-state.js';

/** When they were judged, and by which version of the rules. */
export interface JudgedBy {
  rulesetHash: string;
  firedAt: number;
}

/** Starts a remediation for each firing, once what was judged stands in the history. */
export async function startFirings(state: WatchState, firings: Firing[], judgedBy: JudgedBy): Promise<void> {
  for (const chunk of inChunks(firings)) {
    const answers = await start(state.tenant, chunk, judgedBy);
    chunk.forEach((firing, index) => record(state, firing, answers[index] ?? { error: 'no answer' }));
  }
}

/** What is asked of an activity has a limit in bytes. Firings of one event follow each other, and share it. */
function inChunks(firings: Firing[]): Firing[][] {
  const chunks: Firing[][] = [];
  let bytes = 0;
  for (const firing of firings) {
    const last = chunks.at(-1);
    bytes += last?.at(-1)?.fire.event === firing.fire.event ? 0 : byteLength(firing.fire.event);
    if (last && last.length < MAX_STARTS_PER_CALL && bytes <= MAX_BATCH_BYTES) last.push(firing);
    else {
      chunks.push([firing]);
      bytes = byteLength(firing.fire.event);
    }
  }
  return chunks;
}

async function start(tenant: string, chunk: Firing[], judgedBy: JudgedBy): Promise<StartAnswer[]> {
  const { startRemediations } = starting('starts the remediations of the rules that fired');
  try {
    const events = [...new Set(chunk.map(({ fire }) => fire.event))];
    const fires = chunk.map(({ fire: { event, ...fire } }) => ({ ...fire, eventIndex: events.indexOf(event) }));
    return await startRemediations({ tenant, ...judgedBy, events, fires });
  } catch (error) {
    return chunk.map(() => ({ error: rootCause(error) ?? String(error) }));
  }
}

function record(state: WatchState, { entries }: Firing, answer: StartAnswer): void {
  if ('error' in answer) return turnIntoError(state, entries, `remediation could not be started: ${answer.error}`);
  for (const entry of entries) entry.remediation = answer.remediation;
}
