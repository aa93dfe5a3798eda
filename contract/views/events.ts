import { z } from 'zod';
import { ACTION_STATUSES } from './actions.js';
import { LoggedVerdict } from './verdicts.js';
import { count, instant } from './words.js';

// What the record knows of events: for people, who ask long after.

export const RecordedEnding = z.strictObject({
  remediation: z.string().describe('Its workflow id.'),
  rule: z.string(),
  eventId: z.string(),
  event: z.string(),
  eventOutcome: z.string().optional(),
  tool: z.string().optional(),
  outcome: z.enum(ACTION_STATUSES),
  at: instant('When it ended.'),
  tookMs: count(),
});
/** How a remediation has ended; the last time, when it was retried. */
export type RecordedEnding = z.output<typeof RecordedEnding>;

export const RecordedEvent = z.strictObject({
  id: z.string(),
  event: z.string(),
  at: instant('When it was judged.'),
  occurredAt: instant('When it happened, by the clock of its reporter.').optional(),
  outcome: z.string().optional(),
  session: z.string().optional(),
  agent: z.string().optional(),
  source: z.string().optional(),
  tool: z.string().optional(),
  task: z.string().optional(),
  error: z.string().describe('The beginning of what went wrong.').optional(),
  depth: count(),
  verdicts: z
    .array(LoggedVerdict)
    .describe('In the order in which they were given; copies of the event are one verdict with a count, the last.'),
  endings: z
    .array(RecordedEnding)
    .describe('Of the remediations that it started, as far as they have ended.')
    .optional(),
});
export type RecordedEvent = z.output<typeof RecordedEvent>;

export const EventPage = z.strictObject({
  events: z.array(RecordedEvent).describe('The one judged last comes first.'),
  nextPage: z.string().describe('Absent on the last page.').optional(),
});
export type EventPage = z.output<typeof EventPage>;
