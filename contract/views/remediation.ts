import { z } from 'zod';
import type { ActionPlan } from '../actions/index.js';
import { MeshEvent } from '../event.js';
import { ACTION_TYPE, AgentAtWork, RemediationProgress, RetriedActivity } from './actions.js';
import { Story, STORY_OUTCOMES } from './story.js';
import { count, instant } from './words.js';

// Remediations, as the SDK and the gateway show them.

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
  outcome: z.enum(STORY_OUTCOMES),
  startedAt: instant('When its rule fired.'),
  closedAt: instant('When it ended.').optional(),
};

export const RemediationSummary = z.strictObject(summary);
/** One remediation, as lists show it. */
export type RemediationSummary = z.output<typeof RemediationSummary>;

export const RemediationPage = z.strictObject({
  remediations: z
    .array(RemediationSummary)
    .describe('What runs, the newest first; then what ended, the last to end first.'),
  nextPage: z.string().describe('Goes as `page` with the next request. Absent on the last page.').optional(),
});
export type RemediationPage = z.output<typeof RemediationPage>;

export const StoredEvent = MeshEvent.describe('The event a remediation answers, as it was judged.');

export const RemediationDetail = z.strictObject({
  ...summary,
  story: Story.describe('What became of it so far, as every page and message tells it.'),
  progress: RemediationProgress.describe('Absent when no worker answers, or it was terminated.').optional(),
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
});
/** One remediation, whole. */
export type RemediationDetail = Omit<z.output<typeof RemediationDetail>, 'actions'> & { actions: ActionPlan[] };

export const RemediationRef = z.strictObject({ id: z.string() });

const again = {
  runId: z.string().describe('The run that does it. The workflow id stays the same.'),
  actions: z
    .array(z.string())
    .describe('What runs again: actions; of a message of the mesh itself its deliveries, or its kind.'),
};
/** What a retry does. */
export type Retried = z.output<z.ZodObject<typeof again>>;

export const RetriedRemediation = z.strictObject({ id: z.string(), ...again });
