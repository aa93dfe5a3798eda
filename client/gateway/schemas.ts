import { z } from 'zod';
import { EVENT_ID, MeshEvent } from '../../contract/event.js';
import type { RemediationProgress } from '../../contract/remediation.js';
import { ACTION_STATUSES } from '../../contract/remediation.js';
import {
  SKIP_CODES,
  type Judgement as JudgementView,
  type LoggedVerdict,
  type SkipCode,
} from '../../contract/verdict.js';
import type { WatchStatus as WatchStatusView } from '../../contract/watch.js';
import { strict, wholeNumber } from '../../contract/schema-words.js';
import type {
  RemediationDetail as DetailView,
  RemediationPage as PageView,
  RemediationSummary as SummaryView,
} from '../remediation-views.js';
import { PROBLEM_CODES, type ProblemCode } from './problem-codes.js';

// What the gateway takes and answers, for the OpenAPI document. Events are checked by `MeshEvent` itself; answers are what
// the SDK returns, which `satisfies` holds to its types, and tests to what it really answers.

const instant = (what: string) => z.int().describe(`${what} Epoch milliseconds.`);
const count = () => z.int().min(0);
const codes = <const T extends object>(table: T) => Object.keys(table) as [keyof T & string, ...(keyof T & string)[]];

/** What the page at /docs sends when somebody tries it out: it fires a rule that is shipped. */
const EXAMPLE = {
  event: 'PostToolUseFailure',
  outcome: 'failed',
  session: 's-1',
  payload: { tool_name: 'Bash', error: 'timeout' },
};

export const EventInput = MeshEvent.partial()
  .required({ event: true })
  .extend({
    occurredAt: z
      .union([wholeNumber(0, 8_640_000_000_000_000), z.string()])
      .describe('Epoch milliseconds, or an ISO 8601 text. Default: now.')
      .optional(),
  })
  .meta({
    description:
      'An event. Only `event` is required. Give a stable `id`, and a second report of the same thing is recognised.',
    examples: [EXAMPLE],
  });

export const EventOrEvents = z
  .union([EventInput, z.array(EventInput).min(1).max(1_000)])
  .meta({ examples: [EXAMPLE, [EXAMPLE, { event: 'TaskCompleted', outcome: 'success' }]] });

export const CloudEvent = z
  .looseObject({
    specversion: z.literal('1.0'),
    id: z.string().min(1),
    source: z.string().min(1).describe('With `id` it names the event: both make its id in the mesh.'),
    type: z.string().describe('The event name.'),
    time: z.iso.datetime({ offset: true }).nullish(),
    outcome: MeshEvent.shape.outcome
      .nullish()
      .describe('Extension attribute, as are session, agent, depth and tenant.'),
    session: z.string().nullish(),
    agent: z.string().nullish(),
    depth: z.union([wholeNumber(0, 100), z.string()]).nullish(),
    tenant: z.string().nullish(),
    data: z.unknown().describe('The payload. What is no object becomes `{data: …}`.').optional(),
  })
  .meta({
    description: 'CloudEvents 1.0 in its JSON form. Other attributes go into the payload, under `cloudevent`.',
    examples: [
      {
        specversion: '1.0',
        id: '42',
        source: '/agents/builder',
        type: EXAMPLE.event,
        outcome: EXAMPLE.outcome,
        data: EXAMPLE.payload,
      },
    ],
  });

export const CloudEvents = z.array(CloudEvent).min(1).max(1_000);

export const ClaudeCodeHook = z
  .looseObject({ hook_event_name: z.string().describe('Such as `PostToolUseFailure`.') })
  .describe('The JSON that Claude Code and its relatives give to hooks, as it is. It becomes the payload.');

export const Accepted = z.strictObject({
  events: z.array(z.strictObject({ id: z.string().regex(EVENT_ID) })).describe('One per event, in order.'),
  watch: z.string().describe('Workflow id of the watch that has them.'),
});

const Subject = {
  at: instant('When it was judged.'),
  eventId: z.string(),
  event: z.string(),
  depth: count(),
  remediation: z.string().describe('Workflow id of the remediation that a fire started.').optional(),
  missed: z
    .array(z.strictObject({ rule: z.string(), reason: z.string() }))
    .describe('On the first entry of an event: rules that did not look at it, and why.')
    .optional(),
  times: count().describe('How many copies of the event this entry stands for, when more than one.').optional(),
};

export const Verdict = z.discriminatedUnion('verdict', [
  z.strictObject({ verdict: z.literal('fire'), rule: z.string(), action: z.string(), ...Subject }),
  z.strictObject({
    verdict: z.literal('skip'),
    code: z.enum(codes(SKIP_CODES)),
    reason: z.string(),
    rule: z.string().optional(),
    action: z.string().optional(),
    ...Subject,
  }),
]) satisfies z.ZodType<LoggedVerdict>;

export const EventAnswer = z.strictObject({
  id: z.string(),
  state: z
    .enum(['judged', 'waiting', 'forgotten'] satisfies JudgementView['state'][])
    .describe('`waiting`: it has arrived and is not judged yet. `forgotten`: its verdicts are no longer kept.'),
  verdicts: z.array(Verdict),
  remediations: z.array(z.strictObject({ id: z.string(), rule: z.string() })),
});

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

const ACTION_TYPE = z.enum(['spawn_fallback_agent', 'notify_team', 'warm_remote_capacity']);

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

const skipped = z.partialRecord(z.enum(codes(SKIP_CODES)), count()) satisfies z.ZodType<
  Partial<Record<SkipCode, number>>
>;

export const WatchStatus = z.strictObject({
  tenant: z.string(),
  paused: z.strictObject({ sinceAt: instant('Since when.'), reason: z.string().optional() }).nullable(),
  ruleset: z.strictObject({ hash: z.string(), source: z.string(), problems: z.array(z.string()) }).nullable(),
  held: z
    .strictObject({ events: count(), sinceAt: instant('Since when.'), problems: z.array(z.string()) })
    .describe('Events that wait because the rules cannot be read.')
    .nullable(),
  counters: z.strictObject({
    events: count(),
    fired: count(),
    skipped,
    rules: z.record(
      z.string(),
      z.strictObject({ fired: count(), skipped, lastFiredAt: instant('When it fired last.').optional() }),
    ),
  }),
  guards: z.strictObject({
    cooldowns: z.array(
      z.strictObject({ rule: z.string(), untilAt: instant('When it ends.'), label: z.string().optional() }),
    ),
    dedups: z.array(z.strictObject({ rule: z.string(), action: z.string(), untilAt: instant('When it ends.') })),
    live: z.strictObject({ cooldowns: count(), dedups: count() }),
    evicted: count(),
    seenIds: count(),
  }),
  chains: z.array(
    z.strictObject({ root: z.string(), remediations: count(), deepest: count(), lastAt: instant('Last seen.') }),
  ),
  history: z.strictObject({ events: count(), runs: count() }),
}) satisfies z.ZodType<WatchStatusView>;

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
