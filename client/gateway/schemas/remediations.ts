import { z } from 'zod';
import { MeshEvent } from '#contract/event.js';
import { ACTION_STATUSES, type RemediationProgress } from '#contract/remediation.js';
import { ACTION_TYPES } from '#contract/actions/index.js';
import type {
  RemediationDetail as DetailView,
  RemediationPage as PageView,
  RemediationSummary as SummaryView,
} from '../../remediation-views.js';
import type { AgentAtWork as AgentAtWorkView, RetriedActivity as RetriedView } from '#contract/story.js';
import { count, instant } from './words.js';

const summary = {
  id: z.string().describe('`remediation/<tenant>/<rule>/<event id>`, as in the Temporal UI.'),
  runId: z.string().describe('The run: a retried remediation has several.'),
  tenant: z.string(),
  rule: z.string(),
  eventId: z.string(),
  event: z.string().optional(),
  tool: z.string().optional(),
  session: z.string().optional(),
  source: z.string().optional(),
  depth: count().optional(),
  outcome: z.enum([...ACTION_STATUSES, 'running', 'terminated', 'timed-out']),
  startedAt: instant('When its rule fired.'),
  closedAt: instant('When it ended.').optional(),
};

export const RemediationSummary = z.strictObject(summary) satisfies z.ZodType<SummaryView>;

export const RemediationPage = z.strictObject({
  remediations: z
    .array(RemediationSummary)
    .describe('What runs, the newest first; then what ended, the last to end first.'),
  nextPage: z.string().describe('Goes as `page` with the next request. Absent on the last page.').optional(),
}) satisfies z.ZodType<PageView>;

const ACTION_TYPE = z.enum(ACTION_TYPES);

const agent = {
  id: z.string().describe('As the launcher calls it.').optional(),
  session: z.string().describe('The session it works in, when the mesh chose or was told it.').optional(),
  outcome: z.enum(['running', 'success', 'failed', 'timeout']),
};

const Launch = z.strictObject({
  launcher: z.string(),
  status: z.enum(['launched', 'failed']),
  reason: z.string().optional(),
  attempts: count(),
  agent: z.strictObject(agent).describe('What is known of the agent that it started or was asked for.').optional(),
  lastWords: z
    .string()
    .describe('The end of what its agent said, without secrets, when another was tried after it.')
    .optional(),
});

const StartedAgent = z.strictObject({
  launcher: z.string(),
  ...agent,
  outputTail: z.string().describe('The end of what it said, without secrets.').optional(),
  mayNotExist: z
    .literal(true)
    .describe('It was asked for elsewhere, and nobody knows whether it was started.')
    .optional(),
});

const DeliveryRecord = z.strictObject({
  delivery: z.string().describe('`<channel>/<recipient>`, unique within the action.'),
  channel: z.string(),
  recipient: z.string(),
  status: z.enum(['delivered', 'failed', 'aborted', 'skipped']),
  attempts: count(),
  detail: z.string().optional(),
  error: z.string().describe('The last error, without secrets.').optional(),
});

const parts = {
  launches: z.array(Launch).describe('For an agent: every launcher that was tried, in order.').optional(),
  agent: StartedAgent.describe('The agent that was started.').optional(),
  deliveries: z.array(DeliveryRecord).describe('For a notification: what became of each delivery.').optional(),
};

const Doing = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('waiting-for-slot'), launcher: z.string(), slots: count() }),
  z.strictObject({ is: z.literal('waiting-to-retry'), reason: z.string() }),
  z.strictObject({ is: z.literal('waiting-for-end'), agent: z.string(), untilAt: instant('Its time limit.') }),
  z.strictObject({
    is: z.literal('delivering'),
    open: z.array(z.string()).describe('The deliveries that are not over.'),
    untilAt: instant('When they are given up.'),
  }),
  z.strictObject({ is: z.literal('writing') }),
]);

const ActionState = z.union([
  z.strictObject({
    action: z.string(),
    type: ACTION_TYPE,
    status: z.enum(ACTION_STATUSES),
    reason: z.string().describe('Why it was skipped, failed or aborted.').optional(),
    detail: z.string().describe('What it did.').optional(),
    attempts: count().describe('0: none began, or, of what was aborted, nobody knows how many did.'),
    leaseUntilAt: instant('For capacity: until when its lease keeps it, at least.').optional(),
    ...parts,
  }),
  z.strictObject({
    action: z.string(),
    type: ACTION_TYPE,
    status: z.enum(['running', 'waiting']),
    sinceAt: instant('Of one that runs: since when.').optional(),
    doing: Doing.describe('What it does just now, if that is not its work itself.').optional(),
    ...parts,
  }),
]) satisfies z.ZodType<RemediationProgress['actions'][number]>;

const RetriedActivity = z.strictObject({
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
}) satisfies z.ZodType<RetriedView>;

const AgentAtWork = z.strictObject({
  action: z.string(),
  sinceAt: instant('When the attempt began.'),
  untilAt: instant('When it is ended at the latest.'),
}) satisfies z.ZodType<AgentAtWorkView>;

export const StoredEvent = MeshEvent.describe('The event a remediation answers, as it was judged.');

export const RemediationDetail = z.strictObject({
  ...summary,
  progress: z
    .strictObject({ outcome: z.enum([...ACTION_STATUSES, 'running']), actions: z.array(ActionState) })
    .describe('Absent when no worker answers, or it was terminated.')
    .optional(),
  isAborting: z
    .literal(true)
    .describe('It was asked to end, and has not; it waits for a worker if none answers.')
    .optional(),
  retrying: z
    .array(RetriedActivity)
    .describe('What has failed and is tried again. Absent when there is nothing of the kind.')
    .optional(),
  agentAtWork: AgentAtWork.describe(
    'Known of one agent whose end a worker waits for; absent when several are, or none.',
  ).optional(),
  reported: StoredEvent,
  actions: z
    .array(z.looseObject({ type: ACTION_TYPE, name: z.string(), effectKey: z.string(), timeoutMs: z.int() }))
    .describe('What was planned when the rule fired.'),
  rulesetHash: z.string(),
  isTry: z.literal(true).describe('It was started by hand, with `mesh try`.').optional(),
}) satisfies z.ZodType<Omit<DetailView, 'actions'>>;

export const RemediationRef = z.strictObject({ id: z.string() });

export const Retried = z.strictObject({
  id: z.string(),
  runId: z.string().describe('The run that does it.'),
  actions: z.array(z.string()).describe('The actions that run again.'),
});
