import type { MeshConfig } from '../../../../config/mesh-config.js';
import type { NotifyPlan } from '../../../../contract/actions/notify-team/schema.js';
import type { ActionRequest } from '../../../../contract/activities.js';
import type { NotificationMessage } from '../../../../contract/notification.js';
import { visibleLines } from '../../../../contract/plain-text.js';
import type { RemediationInput } from '../../../../contract/remediation.js';
import { canonicalJson } from '../../../../rules/canonical-json.js';
import { cutText } from '../../../../rules/cut-text.js';
import { defaultMessage, defaultSummary } from '../../../../rules/default-texts.js';
import { lastAgentBefore } from '../../../../rules/last-agent.js';
import { readField } from '../../../../rules/read-field.js';
import type { Redactor } from '../../../../rules/redact.js';
import {
  renderTemplate,
  type TemplateContext,
  templateValues,
  type TemplateValues,
} from '../../../../rules/template.js';
import { boundMessage } from './bound-message.js';
import { commandsOfRun } from './commands.js';
import { didSoFar } from './did-so-far.js';
import { factsOfEvent } from './facts-of-event.js';
import { oneLine } from './one-line.js';
import { redactMessage } from './redact-message.js';
import { type LinkWorld, runLinks } from './run-link.js';

export interface WritingDesk {
  config: MeshConfig;
  redactor: Redactor;
  world: LinkWorld;
  nowMs: number;
}

const MAX_ERROR_CHARS = 4_000;
const MAX_PAYLOAD_CHARS = 4_000;

/** What people are told of a remediation: what broke, what the mesh did about it, and what they can do. */
export function writeMessage(request: ActionRequest<NotifyPlan>, desk: WritingDesk): NotificationMessage {
  const { plan, remediation } = request;
  const { rule, event, id, firedAt } = remediation;
  const context: TemplateContext = { rule, event, agent: lastAgentBefore(request), redactor: desk.redactor };
  const error = readField(event.payload, 'error');
  const message: NotificationMessage = {
    kind: 'remediation',
    tenant: event.tenant,
    rule,
    at: firedAt,
    outcome: event.outcome,
    subject: subjectOf(plan, context),
    ...bodyOf(plan, context),
    ...(error !== undefined && { error: cutText(desk.redactor.text(error), MAX_ERROR_CHARS) }),
    facts: factsOfEvent(remediation),
    ...payloadOf(remediation, desk.redactor),
    did: didSoFar(request),
    toCome: toComeAfter(request),
    quiet: quietOf(remediation, desk.nowMs),
    links: runLinks(id, desk.config, desk.world),
    commands: commandsOfRun(id, rule, event.tenant, desk.world.temporal),
  };
  // Cut last: half a secret is one that nobody would know again.
  return boundMessage(redactMessage(message, desk.redactor));
}

/** A template of which nothing was left would be a mail without a subject. */
function subjectOf({ summary }: NotifyPlan, context: TemplateContext): string {
  const own = summary === undefined ? '' : oneLine(renderTemplate(summary, context));
  return own === '' ? oneLine(defaultSummary(context.rule, context.event)) : own;
}

function bodyOf(
  { messageTemplate }: NotifyPlan,
  context: TemplateContext,
): Pick<NotificationMessage, 'body' | 'bodyRepeatsFacts'> {
  if (messageTemplate === undefined) {
    return { body: defaultMessage(context.rule, context.event, context.redactor), bodyRepeatsFacts: true };
  }
  return { body: renderTemplate(messageTemplate, context, withinTheirLines(templateValues(context))) };
}

/** A text of several lines is set in, so that nothing in it passes for a line of the rule's or of the mesh. */
function withinTheirLines(values: TemplateValues): TemplateValues {
  const setIn = Object.entries(values).map(
    ([name, value]) => [name, () => visibleLines(value()).join('\n    ')] as const,
  );
  return Object.fromEntries(setIn) as TemplateValues;
}

function payloadOf({ event }: RemediationInput, redactor: Redactor): Pick<NotificationMessage, 'payload'> {
  if (Object.keys(event.payload).length === 0) return {};
  const sorted: unknown = JSON.parse(canonicalJson(redactor.value(event.payload)));
  return { payload: cutText(JSON.stringify(sorted, null, 2), MAX_PAYLOAD_CHARS) };
}

function toComeAfter({ plan, remediation }: ActionRequest<NotifyPlan>): NotificationMessage['toCome'] {
  const at = remediation.actions.findIndex(({ name }) => name === plan.name);
  return remediation.actions.slice(at + 1).map(({ name, type }) => ({ action: name, type }));
}

function quietOf({ rule, quiet }: RemediationInput, nowMs: number): NotificationMessage['quiet'] {
  if (quiet === undefined || quiet.cooldownUntilAt <= nowMs) return [];
  const what = quiet.label === undefined ? `rule ${rule}` : `rule ${rule} for ${quiet.label}`;
  return [{ what, untilAt: quiet.cooldownUntilAt }];
}
