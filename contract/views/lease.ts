import { z } from 'zod';
import { RetriedActivity } from './actions.js';
import { instant } from './words.js';

const RunningLease = z.strictObject({
  id: z.string().describe('`lease/mesh/<environment>`, as in the Temporal UI.'),
  runId: z.string(),
  environment: z.string(),
  startedAt: instant('When it began.'),
  retrying: z
    .array(RetriedActivity)
    .describe('What has failed and is tried again, such as giving the capacity back.')
    .optional(),
});
/** Capacity that is kept warm, or being given back. */
export type RunningLease = z.output<typeof RunningLease>;

export const LeasePage = z.strictObject({
  leases: z.array(RunningLease),
  more: z.boolean().describe('There are others.'),
});
export type LeasePage = z.output<typeof LeasePage>;
