import { condition, rootCause } from '@temporalio/workflow';
import type { StartAnswer } from '#contract/activities.js';
import { remediationId } from '#contract/ids.js';
import { byteLength } from './byte-length.js';
import { startHold } from './hold.js';
import type { Firing } from './judge-item.js';
import { MAX_BATCH_BYTES, MAX_STARTS_PER_CALL } from './limits.js';
import { turnIntoError } from './verdict-log.js';
import { startRemediations } from './watch-activities.js';
import type { WatchState } from './watch-state.js';

/** When they were judged, and by which version of the rules. */
export interface JudgedBy {
  rulesetHash: string;
  firedAt: number;
}

/** Starts a remediation for each firing, once what was judged stands in the history. Waits for the rules if it must. */
export async function startFirings(
  state: WatchState,
  firings: Firing[],
  judgedBy: JudgedBy,
  onHold: () => void,
): Promise<void> {
  // Known before they are started: whoever asks why meanwhile is told where to look.
  for (const { fire, entries } of firings) {
    for (const entry of entries) entry.remediation = remediationId(state.tenant, fire.rule, fire.event.id);
  }
  for (const chunk of inChunks(firings)) {
    let left = chunk;
    while (left.length > 0) {
      const answers = await start(state.tenant, left, judgedBy);
      const problems = answers.flatMap((answer) => ('unavailable' in answer ? answer.unavailable : []));
      left = left.filter((firing, index) => !record(state, firing, answers[index] ?? { error: 'no answer' }));
      if (left.length > 0) await untilRulesCanBeHad(state, problems, onHold);
    }
  }
}

async function untilRulesCanBeHad(state: WatchState, problems: string[], onHold: () => void): Promise<void> {
  const hold = startHold(state.tenant, [...new Set(problems)], state.hold);
  state.hold = hold;
  onHold();
  await condition(() => hold.isOver);
}

/** What is asked of an activity has a limit in bytes. Firings of one event follow each other, and share it. */
function inChunks(firings: Firing[]): Firing[][] {
  const chunks: Firing[][] = [];
  let bytes = 0;
  for (const firing of firings) {
    const last = chunks.at(-1);
    const { event, ...fire } = firing.fire;
    bytes += byteLength(fire) + (last?.at(-1)?.fire.event === event ? 0 : byteLength(event));
    if (last && last.length < MAX_STARTS_PER_CALL && bytes <= MAX_BATCH_BYTES) last.push(firing);
    else {
      chunks.push([firing]);
      bytes = byteLength(firing.fire);
    }
  }
  return chunks;
}

async function start(tenant: string, chunk: Firing[], judgedBy: JudgedBy): Promise<StartAnswer[]> {
  try {
    const events = [...new Set(chunk.map(({ fire }) => fire.event))];
    const fires = chunk.map(({ fire: { event, ...fire } }) => ({ ...fire, eventIndex: events.indexOf(event) }));
    return await startRemediations({ tenant, ...judgedBy, events, fires });
  } catch (error) {
    return chunk.map(() => ({ error: rootCause(error) ?? String(error) }));
  }
}

/** Whether that is settled. */
function record(state: WatchState, { entries }: Firing, answer: StartAnswer): boolean {
  if ('unavailable' in answer) return false;
  if ('error' in answer) turnIntoError(state, entries, `remediation could not be started: ${answer.error}`);
  return true;
}
