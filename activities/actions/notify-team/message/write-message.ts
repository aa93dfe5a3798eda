import type { MeshConfig } from '#config/mesh-config.js';
import type { ActionPlan } from '#contract/actions/index.js';
import type { NotifyPlan } from '#contract/actions/notify-team/schema.js';
import type { ActionRequest } from '#contract/activities.js';
import type { NotificationMessage } from '#contract/notification.js';
import { joinLines, oneLine, visibleLines } from '#contract/text/plain-text.js';
import { quietOf } from '#contract/story.js';
import type { MeshEvent } from '#contract/event.js';
import { utc } from '#contract/text/markdown.js';
import { DEFAULT_TENANT } from '#contract/names.js';
import type { PendingAction, RemediationInput } from '#contract/remediation.js';
import { runsOnlyIf } from '#contract/runs-only-if.js';
import { canonicalJson } from '#contract/text/canonical-json.js';
import { cutText } from '#contract/text/shorten.js';
import { fieldReader, labelled, MAX_FIELD_CHARS } from '../../event-fields.js';
import { lastAgentBefore } from '../../last-agent.js';
import { factsOf } from '#contract/facts.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import {
  payloadJson,
  renderTemplate,
  type TemplateContext,
  templateValues,
  type TemplateValues,
} from '#contract/text/template.js';
import { commandsOfRun, type LinkWorld, runLinks } from './commands.js';
import { prognosisOf } from './prognosis.js';
import { didSoFar, toComeAfter } from './so-far.js';
import { boundMessage, redactMessage } from './texts-of-message.js';

export interface WritingDesk {
  config: MeshConfig;
  redactor: Redactor;
  world: LinkWorld;
  nowMs: number;
  /** How many deliveries the message is for. */
  receivers?: number;
}

const MAX_ERROR_CHARS = 4_000;
const MAX_PAYLOAD_CHARS = 4_000;

/** What people are told of a remediation: what broke, what the mesh did about it, and what they can do. */
export function writeMessage(request: ActionRequest<NotifyPlan>, desk: WritingDesk): NotificationMessage {
  const { plan, remediation } = request;
  const { rule, event, id, firedAt } = remediation;
  const context: TemplateContext = { rule, event, agent: lastAgentBefore(request), redactor: desk.redactor };
  const { error } = factsOf(event);
  const toCome = toComeAfter(request);
  const message: NotificationMessage = {
    kind: 'remediation',
    tenant: event.tenant,
    rule,
    at: firedAt,
    writtenAt: desk.nowMs,
    outcome: event.outcome,
    ...subjectOf(plan, context),
    ...prognosisOf(request),
    ...bodyOf(plan, context),
    ...(error !== undefined && { error: cutText(desk.redactor.text(error), MAX_ERROR_CHARS) }),
    facts: factsOfEvent(remediation),
    ...payloadOf(remediation, desk.redactor),
    did: didSoFar(request, desk.nowMs),
    toCome: tellToCome(toCome, remediation),
    quiet: quietOf(remediation).filter(({ untilAt }) => untilAt > desk.nowMs),
    links: runLinks(id, desk.config, desk.world),
    commands: commandsOfRun(id, rule, event.tenant, desk.world.temporal, tellAbort(request.pending, toCome)),
  };
  // Cut last: half a secret is one that nobody would know again.
  return boundMessage(redactMessage(message, desk.redactor), desk.receivers);
}

/** A template of which nothing was left would be a mail without a subject. */
function subjectOf(
  { summary }: NotifyPlan,
  context: TemplateContext,
): Pick<NotificationMessage, 'subject' | 'isDefaultSubject'> {
  const own = summary === undefined ? '' : joinLines(renderTemplate(summary, context));
  if (own !== '') return { subject: own };
  return { subject: joinLines(defaultSummary(context.rule, context.event)), isDefaultSubject: true };
}

function bodyOf(
  { messageTemplate }: NotifyPlan,
  context: TemplateContext,
): Pick<NotificationMessage, 'body' | 'payloadLine' | 'bodyRepeatsFacts'> {
  if (messageTemplate === undefined) {
    return { ...defaultMessage(context.rule, context.event, context.redactor), bodyRepeatsFacts: true };
  }
  return { body: renderTemplate(messageTemplate, context, withinTheirLines(templateValues(context))) };
}

/** As in the rule format. */
export function defaultSummary(rule: string, event: MeshEvent): string {
  return `Hook chain ${rule} triggered (${event.event}/${event.outcome})`;
}

/** What a message says when its rule gives no text of its own: the same parts as in the rule format. */
export function defaultMessage(
  rule: string,
  event: MeshEvent,
  redactor?: Redactor,
): Required<Pick<NotificationMessage, 'body' | 'payloadLine'>> {
  const field = fieldReader(event, redactor);
  const lines = labelled([
    ['Rule', oneLine(rule, MAX_FIELD_CHARS)],
    ['Event', event.event],
    ['Outcome', event.outcome],
    ['Error', field('error') ?? 'n/a'],
    ['Task', field('taskSubject') ?? field('taskId') ?? 'n/a'],
    ['Session', event.session === undefined ? undefined : oneLine(event.session, MAX_FIELD_CHARS)],
  ]);
  return { body: ['A chain rule fired.', '', ...lines].join('\n'), payloadLine: payloadJson(event, redactor) };
}

/** A text of several lines is set in, so that nothing in it passes for a line of the rule's or of the mesh. */
function withinTheirLines(values: TemplateValues): TemplateValues {
  const setIn = Object.entries(values).map(
    ([name, value]) => [name, () => visibleLines(value()).join('\n    ')] as const,
  );
  return Object.fromEntries(setIn) as TemplateValues;
}

type Fact = NotificationMessage['facts'][number];

/** What is known of the event in short, the most telling first. */
function factsOfEvent({ rule, event, firedAt }: RemediationInput): Fact[] {
  const { lineage, depth } = event;
  const { tool, taskSubject: subject, taskId: id } = factsOf(event);
  const facts: [label: string, value: string | undefined][] = [
    ['Rule', rule],
    ['Event', event.event],
    ['Outcome', event.outcome],
    ['Tool', tool],
    ['Task', subject === undefined || id === undefined ? (subject ?? id) : `${subject} (${id})`],
    ['Session', event.session],
    ['Agent', event.agent],
    ['Reported by', event.source],
    ['Tenant', event.tenant === DEFAULT_TENANT ? undefined : event.tenant],
    ['Happened', event.occurredAt > 0 ? utc(event.occurredAt) : undefined],
    ['Rule fired', utc(firedAt)],
    ['Event id', event.id],
    [
      'Chain',
      depth > 0 ? `depth ${depth}${lineage?.root === undefined ? '' : `, begun by event ${lineage.root}`}` : undefined,
    ],
  ];
  return facts.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value: joinLines(value) }]));
}

function payloadOf({ event }: RemediationInput, redactor: Redactor): Pick<NotificationMessage, 'payload'> {
  if (Object.keys(event.payload).length === 0) return {};
  const sorted: unknown = JSON.parse(canonicalJson(redactor.value(event.payload)));
  return { payload: cutText(JSON.stringify(sorted, null, 2), MAX_PAYLOAD_CHARS) };
}

function tellToCome(toCome: ActionPlan[], { actions }: RemediationInput): NotificationMessage['toCome'] {
  return toCome.map((next) => {
    const onlyIf = runsOnlyIf(next, actions);
    return { action: next.name, type: next.type, ...(onlyIf !== undefined && { onlyIf }) };
  });
}

/** Most often there is nothing left to abort when somebody reads this, and the command would only frighten them. */
function tellAbort(pending: PendingAction[], toCome: ActionPlan[]): string {
  const names = [...pending.map(({ action }) => action), ...toCome.map(({ name }) => name)].map((name) =>
    joinLines(name),
  );
  if (names.length === 0) return 'nothing else runs: this only ends deliveries of this message';
  return `ends ${names.join(', ')}, and deliveries of this message`;
}
