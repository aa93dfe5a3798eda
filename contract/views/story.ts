import { z } from 'zod';
import { ONLY_IF } from '../actions/of-every-action.js';
import {
  ACTION_STATUSES,
  ACTION_TYPE,
  DeliveryRecord,
  Doing,
  Launch,
  type PendingAction,
  RetriedActivity,
  StartedAgent,
} from './actions.js';
import { count, instant } from './words.js';

// What became of a remediation so far, as plain data. Every text that tells of one is made of this, and no text is read back.

/** How somebody, or Temporal, ended a run before it could say how it went. */
const CUT_OFF = ['terminated', 'timed-out'] as const;
export type CutOff = (typeof CUT_OFF)[number];

export const STORY_OUTCOMES = [...ACTION_STATUSES, 'running', ...CUT_OFF] as const;
export type StoryOutcome = (typeof STORY_OUTCOMES)[number];

const PENDING = ['running', 'waiting'] as const satisfies PendingAction['status'][];

const Start = z.strictObject({
  after: z.string().describe('The action before it.'),
  needs: z.enum(['end', 'agent']).describe('It starts when that one is done, or its agent has started.'),
  patienceMs: z.int().describe('It waits no longer than this, if that is set.').optional(),
});
export type Start = z.output<typeof Start>;

export const Condition = z.strictObject({
  wants: z.enum(ONLY_IF),
  of: z.array(z.string()).describe('It runs when any of these ends so. There may be none, and then it never runs.'),
});
/** When an action with `onlyIf` runs. */
export type Condition = z.output<typeof Condition>;

const text = z.string().describe('In the words of who did it, which may be hostile.');

const Why = z.discriminatedUnion('code', [
  z.strictObject({ code: z.literal('not-needed'), text }).describe('Its `onlyIf` made it needless.'),
  z.strictObject({ code: z.literal('refused'), text }).describe('The limits of the chain allow it no more.'),
  z.strictObject({ code: z.literal('launches'), text }).describe('Its launchers say it, each for itself.'),
  z.strictObject({ code: z.literal('deliveries'), text }).describe('Its deliveries say it, each for itself.'),
  z.strictObject({ code: z.literal('cut-off'), by: z.enum(CUT_OFF), while: z.enum(PENDING) }),
  z.strictObject({ code: z.literal('said'), text }),
]);
/** Why an action stands as it does. */
export type Why = z.output<typeof Why>;

const AgentStory = StartedAgent.extend({
  stands: z
    .enum(['at-work', 'perhaps-started', 'end-unknown', 'success', 'failed', 'timeout'])
    .describe(
      '`at-work`: a worker is with it. `perhaps-started`: nobody knows whether there is one. `end-unknown`: it was started, and nobody waits for its end or it has not come.',
    ),
  atWork: z
    .strictObject({ sinceAt: instant('Since when.'), untilAt: instant('When it is ended at the latest.') })
    .describe('Of one at work, where that is known.')
    .optional(),
});
export type AgentStory = z.output<typeof AgentStory>;

export const ActionStory = z.strictObject({
  name: z.string(),
  type: ACTION_TYPE,
  state: z
    .enum([...ACTION_STATUSES, ...PENDING, 'unknown'])
    .describe('`unknown`: no worker answers, or the run was cut off while the action ran.'),
  sinceAt: instant('Of one that runs: since when. Only the remediation itself knows it.').optional(),
  starts: Start.describe('Of one that waits for its turn: when it starts.').optional(),
  onlyIf: Condition.optional(),
  doing: Doing.describe('What it does just now.').optional(),
  why: Why.optional(),
  detail: z.string().describe('What it did, in the words of who did it.').optional(),
  attempts: count().describe('Absent where nobody knows.').optional(),
  launches: z.array(Launch).describe('Every launcher that was tried, in order.'),
  agent: AgentStory.optional(),
  deliveries: z.array(DeliveryRecord),
  leaseUntilAt: instant('Of capacity: until when its lease keeps it, at least.').optional(),
  retrying: z.array(RetriedActivity).describe('Its attempts that failed and are made again.'),
});
export type ActionStory = z.output<typeof ActionStory>;

const QuietWindow = z.strictObject({
  by: z.enum(['cooldown', 'repeats']),
  actions: z.array(z.string()).describe('The actions that are quiet; absent: the whole rule.').optional(),
  label: z.string().describe('Of a cooldown: for which values of `cooldownBy`.').optional(),
  fields: z
    .array(z.string())
    .describe('Of repeats: the fields by which events count as equal; absent: as a whole.')
    .optional(),
  untilAt: instant('Until when.'),
});
export type QuietWindow = z.output<typeof QuietWindow>;

export const Story = z.strictObject({
  outcome: z.enum(STORY_OUTCOMES),
  actions: z.array(ActionStory).describe('In the order of the rule.'),
  quiet: z.array(QuietWindow).describe('What stays quiet because the rule has fired. Some of it may be over.'),
  next: z.strictObject({
    running: z.array(z.string()).describe('Names of the actions that run.'),
    toCome: z.array(z.string()).describe('Names of those that wait.'),
    canAbort: z.boolean(),
    canRetry: z.boolean(),
  }),
  retrying: z.array(RetriedActivity).describe('Attempts that failed and are made again, but belong to no action.'),
});
export type Story = z.output<typeof Story>;
