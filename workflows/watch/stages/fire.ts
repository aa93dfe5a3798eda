import { condition, rootCause } from '@temporalio/workflow';
import type { Fire, StartAnswer, StartRequest } from '#contract/activities.js';
import { shortened } from '#contract/text/shorten.js';
import { byteLength } from '../../byte-length.js';
import { tellRecord } from '../../tell-record.js';
import { startRemediations } from '../activities.js';
import { startHold } from '../hold.js';
import type { Ledgers } from '../ledgers/index.js';
import { MAX_REASON_CHARS } from '../ledgers/verdicts.js';
import { MAX_BATCH_BYTES, MAX_STARTS_PER_CALL } from '../limits.js';

/** By which version of the rules, and when they were judged. */
export type FiredBy = Pick<StartRequest, 'tenant' | 'rulesetHash' | 'firedAt'>;

/** Starts a remediation for each rule that fired, once what was judged stands in the history. Waits for the rules if it must. */
export async function fire(ledgers: Ledgers, fires: Fire[], by: FiredBy, onHold: () => void): Promise<void> {
  const { standing, verdicts } = ledgers;
  for (const chunk of inChunks(fires)) {
    let left = chunk;
    while (left.length > 0) {
      const answers = await start(left, by);
      const problems = answers.flatMap((answer) => ('unavailable' in answer ? answer.unavailable : []));
      left = left.filter(({ event, rule }, index) => {
        const answer = answers[index] ?? { error: 'no answer' };
        if ('error' in answer) {
          const reason = shortened(`remediation could not be started: ${answer.error}`, MAX_REASON_CHARS);
          verdicts.turnIntoError(event.id, rule, reason);
          tellRecord(by.tenant, [{ kind: 'not-started', eventId: event.id, rule, reason }]);
        }
        return 'unavailable' in answer;
      });
      if (left.length === 0) break;
      const hold = startHold(by.tenant, [...new Set(problems)], standing.hold);
      standing.hold = hold;
      onHold();
      await condition(() => hold.isOver);
    }
  }
}

/** What is asked of an activity has a limit in bytes. Firings of one event follow each other, and share it. */
function inChunks(fires: Fire[]): Fire[][] {
  const chunks: Fire[][] = [];
  let bytes = 0;
  for (const one of fires) {
    const last = chunks.at(-1);
    const { event, ...rest } = one;
    bytes += byteLength(rest) + (last?.at(-1)?.event === event ? 0 : byteLength(event));
    if (last && last.length < MAX_STARTS_PER_CALL && bytes <= MAX_BATCH_BYTES) last.push(one);
    else {
      chunks.push([one]);
      bytes = byteLength(one);
    }
  }
  return chunks;
}

async function start(chunk: Fire[], by: FiredBy): Promise<StartAnswer[]> {
  try {
    const events = [...new Set(chunk.map(({ event }) => event))];
    const fires = chunk.map(({ event, ...rest }) => ({ ...rest, eventIndex: events.indexOf(event) }));
    return await startRemediations({ ...by, events, fires });
  } catch (error) {
    return chunk.map(() => ({ error: rootCause(error) ?? String(error) }));
  }
}
