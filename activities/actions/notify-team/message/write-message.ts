import type { MeshConfig } from '#config/mesh-config.js';
import type { ActionPlan } from '#contract/actions/index.js';
import type { NotifyPlan } from '#contract/actions/notify-team/schema.js';
import type { ActionRequest } from '#contract/activities.js';
import type { NotificationMessage } from '#contract/notification.js';
import { joinLines, visibleLines } from '#contract/text/plain-text.js';
import type { PendingAction, RemediationInput } from '#contract/remediation.js';
import { runsOnlyIf } from '#contract/runs-only-if.js';
import { canonicalJson } from '#contract/text/canonical-json.js';
import { cutText } from '#contract/text/shorten.js';
import { defaultMessage, defaultSummary } from './default-texts.js';
import { lastAgentBefore } from '../../last-agent.js';
import { factsOf } from '#contract/facts.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import { renderTemplate, type TemplateContext, templateValues, type TemplateValues } from '#contract/text/template.js';
import { boundMessage } from './bound-message.js';
import { commandsOfRun } from './commands.js';
import { didSoFar } from './did-so-far.js';
import { factsOfEvent } from './facts-of-event.js';
import { quietAfter } from './quiet-after.js';
import { redactMessage } from './redact-message.js';
import { type LinkWorld, runLinks } from './run-link.js';
import { toComeAfter } from './to-come-after.js';
import { verdictOf } from './verdict.js';

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
  const verdict = verdictOf(request);
  const toCome = toComeAfter(request);
  const message: NotificationMessage = {
    kind: 'remediation',
    tenant: event.tenant,
    rule,
    at: firedAt,
    writtenAt: desk.nowMs,
    outcome: event.outcome,
    ...subjectOf(plan, context),
    ...(verdict !== undefined && { verdict }),
    ...bodyOf(plan, context),
    ...(error !== undefined && { error: cutText(desk.redactor.text(error), MAX_ERROR_CHARS) }),
    facts: factsOfEvent(remediation),
    ...payloadOf(remediation, desk.redactor),
    did: didSoFar(request, desk.nowMs),
    toCome: tellToCome(toCome, remediation),
    quiet: quietAfter(remediation, desk.nowMs),
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
