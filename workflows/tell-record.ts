import { proxySinks, type Sinks } from '@temporalio/workflow';
import type { TellRecord } from '#contract/record.js';

interface RecordSinks extends Sinks {
  record: { tell: TellRecord };
}

/**
 * Tells the record, which is for people. Not through an activity: it must neither grow the history nor hold up the next event.
 * The worker calls it before it hands in what this task has decided (ADR 10): so nothing that counts is missing there, and what a
 * worker could not hand in any more is told again.
 */
export const tellRecord: TellRecord = (tenant, entries) => proxySinks<RecordSinks>().record.tell(tenant, entries);
