import { z } from 'zod';
import { PROBLEM_CODES, type ProblemCode } from '../problem-codes.js';
import { codes, count } from '#contract/views/words.js';

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
