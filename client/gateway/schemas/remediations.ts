import { z } from 'zod';
import { MeshEvent } from '../../../contract/event.js';
import { ACTION_STATUSES, type RemediationProgress } from '../../../contract/remediation.js';
import { ACTION_TYPES } from '../../../contract/ruleset.js';
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

const ActionState = z.union([
  z.strictObject({
    action: z.string(),
    type: ACTION_TYPE,
    status: z.enum(ACTION_STATUSES),
    reason: z.string().describe('Why it was skipped, failed or aborted.').optional(),
    detail: z.string().describe('What it did.').optional(),
    attempts: count(),
  }),
  z.strictObject({ action: z.string(), type: ACTION_TYPE, status: z.enum(['running', 'waiting']) }),
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
}) satisfies z.ZodType<Omit<DetailView, 'actions'>>;

export const RemediationRef = z.strictObject({ id: z.string() });

export const Retried = z.strictObject({
  id: z.string(),
  runId: z.string().describe('The run that does it.'),
  actions: z.array(z.string()).describe('The actions that run again.'),
});
