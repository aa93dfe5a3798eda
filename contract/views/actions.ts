import { z } from 'zod';
import { ACTION_TYPES } from '../actions/index.js';
import { count, instant } from './words.js';

// What becomes of the actions of a remediation, as it is kept and as the SDK and the gateway show it.

export const ACTION_STATUSES = ['executed', 'skipped', 'failed', 'aborted'] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

const agent = {
  id: z.string().describe('As the launcher calls it.').optional(),
  session: z.string().describe('The session it works in, when the mesh chose or was told it.').optional(),
  outcome: z
    .enum(['running', 'success', 'failed', 'timeout'])
    .describe('`running`: it was started, and nobody waits for its end or it has not come.'),
};

export type AgentOutcome = z.output<typeof agent.outcome>;

const LaunchedAgent = z.strictObject(agent);
export type LaunchedAgent = z.output<typeof LaunchedAgent>;

export const Launch = z.strictObject({
  launcher: z.string(),
  status: z.enum(['launched', 'failed']),
  reason: z.string().describe('Why it failed, or why the action failed while its agent may go on.').optional(),
  attempts: count(),
  agent: LaunchedAgent.describe('What is known of the agent that it started or was asked for.').optional(),
  lastWords: z
    .string()
    .describe('The end of what its agent said, without secrets, when another was tried after it.')
    .optional(),
});
export type Launch = z.output<typeof Launch>;

export const StartedAgent = z.strictObject({
  launcher: z.string(),
  ...agent,
  outputTail: z.string().describe('The end of what it said, without secrets.').optional(),
  mayNotExist: z
    .literal(true)
    .describe('It was asked for elsewhere, and nobody knows whether it was started.')
    .optional(),
});
export type StartedAgent = z.output<typeof StartedAgent>;

export const DeliveryRecord = z.strictObject({
  delivery: z.string().describe('`<channel>/<recipient>`, unique within the action: what a retry goes by.'),
  channel: z.string(),
  recipient: z.string(),
  status: z
    .enum(['delivered', 'written', 'failed', 'aborted', 'skipped'])
    .describe(
      '`written`: to a file, as there is no mail server, and nobody has got it. `skipped`: there was no need for it any more.',
    ),
  attempts: count(),
  detail: z.string().optional(),
  error: z.string().describe('The last error, without secrets; or why it was skipped.').optional(),
});
export type DeliveryRecord = z.output<typeof DeliveryRecord>;

export const Doing = z.discriminatedUnion('is', [
  z
    .strictObject({ is: z.literal('waiting-for-slot'), launcher: z.string(), slots: count() })
    .describe('Every slot of the launcher is taken.'),
  z
    .strictObject({ is: z.literal('waiting-to-retry'), reason: z.string() })
    .describe('Something that no attempt is to blame for is in the way.'),
  z
    .strictObject({ is: z.literal('waiting-for-end'), agent: z.string(), untilAt: instant('Its time limit.') })
    .describe('The agent runs elsewhere.'),
  z.strictObject({
    is: z.literal('delivering'),
    open: z.array(z.string()).describe('The deliveries that are not over.'),
    untilAt: instant('When they are given up.'),
  }),
  z.strictObject({ is: z.literal('writing') }),
]);
export type Doing = z.output<typeof Doing>;

const parts = {
  launches: z.array(Launch).describe('For an agent: every launcher that was tried, in order.').optional(),
  agent: StartedAgent.describe('The agent that was started.').optional(),
  deliveries: z.array(DeliveryRecord).describe('For a notification: what became of each delivery.').optional(),
};

export const ACTION_TYPE = z.enum(ACTION_TYPES);

const ActionResult = z.strictObject({
  action: z.string(),
  type: ACTION_TYPE,
  status: z.enum(ACTION_STATUSES),
  reason: z.string().describe('Why it was skipped, failed or aborted.').optional(),
  detail: z.string().describe('What it did.').optional(),
  attempts: count().describe('0: none began, or, of what was aborted, nobody knows how many did.'),
  leaseUntilAt: instant('For capacity: until when its lease keeps it, at least.').optional(),
  ...parts,
});
export type ActionResult = z.output<typeof ActionResult>;

const PendingAction = z.strictObject({
  action: z.string(),
  type: ACTION_TYPE,
  status: z.enum(['running', 'waiting']),
  sinceAt: instant('Of one that runs: since when.').optional(),
  doing: Doing.describe('What it does just now, if that is not its work itself.').optional(),
  ...parts,
});
/** An action that is not done. */
export type PendingAction = z.output<typeof PendingAction>;

export const RemediationProgress = z.strictObject({
  outcome: z.enum([...ACTION_STATUSES, 'running']),
  actions: z.array(z.union([ActionResult, PendingAction])),
});
/** A remediation as it stands. */
export type RemediationProgress = z.output<typeof RemediationProgress>;

export const RetriedActivity = z.strictObject({
  action: z.string().describe('The action it is part of.').optional(),
  delivery: z.string().describe('Of a notification: which of its deliveries.').optional(),
  doing: z.string().describe('What it does, as the Temporal UI shows it.'),
  state: z
    .enum(['waiting', 'queued', 'running', 'paused'])
    .describe(
      '`waiting` for its time, `queued` until a worker takes it, `running`, or `paused` by somebody in Temporal.',
    ),
  attempt: count().describe('The attempt that runs or, in the other states, the one that comes next.'),
  lastError: z.string().describe('Why the attempt before that one failed, without secrets.'),
  nextAt: instant('While it is `waiting`: when the next attempt is due.').optional(),
});
/** Part of an action, such as one delivery of a notification, of which at least one attempt has failed. */
export type RetriedActivity = z.output<typeof RetriedActivity>;

export const AgentAtWork = z.strictObject({
  action: z.string(),
  sinceAt: instant('When the attempt began.'),
  untilAt: instant('When it is ended at the latest.'),
});
/** An agent that a worker is with. Its launcher may have a shorter time limit than the rule. */
export type AgentAtWork = z.output<typeof AgentAtWork>;
