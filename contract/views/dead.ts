import { z } from 'zod';
import { count, instant } from './words.js';

const DeadRemediation = z.strictObject({
  kind: z.enum(['remediation', 'notice', 'lease']),
  id: z.string().describe('The workflow id.'),
  runId: z.string(),
  tenant: z.string(),
  rule: z.string().describe('Empty for a lease, which no one rule has.'),
  environment: z.string().describe('Of a lease.').optional(),
  restorePoint: z
    .strictObject({ originalCount: count(), countsSetByMesh: z.array(count()) })
    .describe('Of a lease that has failed to lower a number which it had raised: from what, and to what.')
    .optional(),
  ended: z.enum(['terminated', 'timed-out']).describe('When it did not end by itself.').optional(),
  eventId: z.string().describe('Of a remediation: the event it answers.').optional(),
  startedAt: instant('When it began.'),
  closedAt: instant('When it ended.').optional(),
  failed: z
    .array(z.strictObject({ action: z.string().optional(), reason: z.string() }))
    .describe('What gave up, and why; without an action when it was the remediation as a whole.'),
});
/**
 * A remediation that has failed, a message of the mesh itself (a digest, good news) that did not reach everyone, or capacity
 * that was not given back. Also each of these that Temporal or somebody ended before it could say how it went.
 */
export type DeadRemediation = z.output<typeof DeadRemediation>;

export const DeadPage = z.strictObject({
  dead: z.array(DeadRemediation).describe('Those that gave up last come first.'),
  nextPage: z.string().describe('Absent on the last page.').optional(),
});
export type DeadPage = z.output<typeof DeadPage>;
