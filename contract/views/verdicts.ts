import { z } from 'zod';
import { SKIP_CODES } from '../verdict.js';
import { codes, count, instant } from './words.js';

// What a watch knows of one event.

const MissedRule = z.strictObject({ rule: z.string(), reason: z.string() });
export type MissedRule = z.output<typeof MissedRule>;

const Subject = z.strictObject({
  at: instant('When it was judged.'),
  eventId: z.string(),
  event: z.string(),
  session: z.string().optional(),
  tool: z.string().optional(),
  task: z.string().optional(),
  depth: count(),
  remediation: z.string().describe('Workflow id of the remediation that a fire started.').optional(),
  missed: z
    .array(MissedRule)
    .describe(
      'On the first entry of an event: rules that did not look at it, and what each missed on, the nearest first.',
    )
    .optional(),
  times: count().describe('How many copies of the event this entry stands for, when more than one.').optional(),
});

export const LoggedVerdict = z.discriminatedUnion('verdict', [
  z.strictObject({ verdict: z.literal('fire'), rule: z.string(), action: z.string(), ...Subject.shape }),
  z.strictObject({
    verdict: z.literal('skip'),
    code: z.enum(codes(SKIP_CODES)),
    reason: z.string(),
    rule: z.string().optional(),
    action: z.string().optional(),
    untilAt: instant('Of `cooldown` and `dedup`: when the window ends.').optional(),
    isDoubted: z
      .literal(true)
      .describe('Of `max-depth`: its lineage token is not believed, so how deep it is nobody knows.')
      .optional(),
    ...Subject.shape,
  }),
]);
export type LoggedVerdict = z.output<typeof LoggedVerdict>;

/** Without what it was about. Skips about the whole event carry no rule; skips about a rule come once per action of it. */
export type Verdict = Judged<LoggedVerdict>;
type Judged<T> = T extends unknown ? Omit<T, keyof z.output<typeof Subject>> : never;

export const Judgement = z.strictObject({
  state: z
    .enum(['judged', 'waiting', 'forgotten', 'unknown'])
    .describe(
      '`waiting`: it has arrived and is not judged yet. `forgotten`: its verdicts are no longer kept. `unknown`: never seen, or so long ago that it is forgotten.',
    ),
  verdicts: z.array(LoggedVerdict),
});
export type Judgement = z.output<typeof Judgement>;
