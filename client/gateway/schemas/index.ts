// What the gateway takes and answers, for the OpenAPI document. Events are checked by `MeshEvent` itself; answers are the
// views (`contract/views`), of which the types of the SDK are made too. What is exported here has its name there.

import { z } from 'zod';
import { PROBLEM_CODES, type ProblemCode } from '../problem-codes.js';
import { codes, count } from '#contract/views/words.js';
import { strict } from '#contract/text/schema-words.js';
import { KnownConfigTrouble, WatchStatus as WholeStatus } from '#contract/views/watch.js';

export * from './events.js';
export { EventPage } from '#contract/views/events.js';
export { ActionStory, Story } from '#contract/views/story.js';
export { LoggedVerdict as Verdict } from '#contract/views/verdicts.js';
export {
  RemediationDetail,
  RemediationPage,
  RemediationRef,
  RemediationSummary,
  RetriedRemediation as Retried,
  StoredEvent,
} from '#contract/views/remediation.js';

export const Alive = z.strictObject({ status: z.literal('ok'), service: z.literal('remediation-mesh') });

export const Readiness = z.strictObject({
  ready: z.boolean(),
  checks: z.array(
    z.strictObject({
      name: z.enum(['temporal', 'worker', 'rules']),
      ok: z.boolean(),
      hint: z.string().describe('What to do about it.').optional(),
    }),
  ),
});

export const ProblemItem = z.strictObject({
  path: z.string().describe('Such as `[3].payload.tool_name`; empty for the whole.'),
  message: z.string(),
  expected: z.string().optional(),
  hint: z.string().optional(),
});

export const ProblemAnswer = z
  .strictObject({
    type: z.string().describe('`urn:remediation-mesh:<code>`'),
    title: z.string(),
    status: z.int(),
    code: z.enum(codes(PROBLEM_CODES)) satisfies z.ZodType<ProblemCode>,
    detail: z.string().describe('For people; it may change.'),
    problems: z.array(ProblemItem).describe('The first 1,000.').optional(),
    problemCount: count().optional(),
    stored: z.array(z.string()).describe('Ids of the events of this request that are stored.').optional(),
    notStored: z
      .array(z.string())
      .describe('Ids of those that are not known to be: send them again as they are.')
      .optional(),
    requestId: z.string(),
  })
  .describe('Every error, as `application/problem+json` (RFC 9457). Programs look at `code`.');

export const WatchRef = z.strictObject({ watch: z.string() });
export const RuleRef = z.strictObject({ watch: z.string(), rule: z.string() });

export const NoBody = strict({}).describe('Nothing, or an empty object.');

export const PauseBody = strict({
  reason: z
    .string({ error: 'a text' })
    .max(500, { error: 'at most 500 characters' })
    .describe('Shown in the watch and as the reason of skips.')
    .optional(),
});

/** All tenants share `mesh.yaml`, so a tenant hears only that something is wrong with it. */
export const WatchStatus = WholeStatus.extend({
  configTrouble: KnownConfigTrouble.omit({ source: true, problems: true })
    .describe('That `mesh.yaml` cannot be used as it is. Why is for those who run the mesh: `mesh status` says it.')
    .optional(),
});
