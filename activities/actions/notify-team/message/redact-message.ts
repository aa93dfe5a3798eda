import type { NotificationMessage } from '#contract/notification.js';
import type { Redactor } from '#contract/text/redact/redact.js';

/** Events are without secrets when they come; templates of rules, output of agents and answers of receivers may bring some. */
export function redactMessage(message: NotificationMessage, { text }: Redactor): NotificationMessage {
  const { subject, verdict, body, error, payload, facts, did, quiet } = message;
  return {
    ...message,
    subject: text(subject),
    ...(verdict !== undefined && { verdict: text(verdict) }),
    body: text(body),
    ...(error !== undefined && { error: text(error) }),
    ...(payload !== undefined && { payload: text(payload) }),
    facts: facts.map((fact) => ({ ...fact, value: text(fact.value) })),
    did: did.map((one) => ({ ...one, ...(one.text !== undefined && { text: text(one.text) }) })),
    // Holds the values of `cooldownBy`.
    quiet: quiet.map((one) => ({ ...one, what: text(one.what) })),
  };
}
