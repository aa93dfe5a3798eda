import { z } from 'zod';
import { MeshEvent } from '../../../contract/event.js';
import { ACTION_STATUSES, type RemediationProgress } from '../../../contract/remediation.js';
import { ACTION_TYPES } from '../../../contract/actions/index.js';
import type {
  RemediationDetail as DetailView,
  RemediationPage as PageView,
  RemediationSummary as SummaryView,
} from '../../remediation-views.js';
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
  remediations: z.array(RemediationSummary).describe('The newest first.'),
  nextPage: z.string().describe('Goes as `page` with the next request. Absent on the last page.').optional(),
}) satisfies z.ZodType<PageView>;

const ACTION_TYPE = z.enum(ACTION_TYPES);

const Launch = z.strictObject({
  launcher: z.string(),
  status: z.enum(['launched', 'failed']),
  reason: z.string().optional(),
  attempts: count(),
});

const StartedAgent = z.strictObject({
  launcher: z.string(),
  id: z.string().describe('As the launcher calls it.').optional(),
  session: z.string().describe('The session it works in, when the mesh chose or was told it.').optional(),
  outcome: z.enum(['running', 'success', 'failed', 'timeout']),
  outputTail: z.string().describe('The end of what it said, without secrets.').optional(),
});

const DeliveryRecord = z.strictObject({
  delivery: z.string().describe('`<channel>/<recipient>`, unique within the action.'),
  channel: z.string(),
  recipient: z.string(),
  status: z.enum(['delivered', 'failed', 'aborted']),
  attempts: count(),
  detail: z.string().optional(),
  error: z.string().describe('The last error, without secrets.').optional(),
});

const parts = {
  launches: z.array(Launch).describe('For an agent: every launcher that was tried, in order.').optional(),
  agent: StartedAgent.describe('The agent that was started.').optional(),
  deliveries: z.array(DeliveryRecord).describe('For a notification: what became of each delivery.').optional(),
};

const ActionState = z.union([
  z.strictObject({
    action: z.string(),
    type: ACTION_TYPE,
    status: z.enum(ACTION_STATUSES),
    reason: z.string().describe('Why it was skipped, failed or aborted.').optional(),
    detail: z.string().describe('What it did.').optional(),
    attempts: count(),
    ...parts,
  }),
  z.strictObject({
    action: z.string(),
    type: ACTION_TYPE,
    status: z.enum(['running', 'waiting']),
    note: z.string().describe('What it does just now, such as waiting for a free slot.').optional(),
    ...parts,
  }),
]) satisfies z.ZodType<RemediationProgress['actions'][number]>;

export const StoredEvent = MeshEvent.describe('The event a remediation answers, as it was judged.');

export const RemediationDetail = z.strictObject({
  ...summary,
  progress: z
    .strictObject({ outcome: z.enum([...ACTION_STATUSES, 'running']), actions: z.array(ActionState) })
    .describe('Absent when no worker answers, or it was terminated.')
    .optional(),
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
