// The only place where ids are made. Ids are stored in clear and shown to people, so they hold names, never payload text.

export function watchId(tenant: string): string {
  return `watch/${tenant}`;
}

export function remediationId(tenant: string, rule: string, eventId: string): string {
  return `remediation/${tenant}/${segment(rule)}/${eventId}`;
}

/** One per environment: whoever asks for its capacity meanwhile extends it. */
export function leaseId(tenant: string, environment: string): string {
  return `lease/${tenant}/${segment(environment)}`;
}

/** One per cooldown that has ended. */
export function digestId(tenant: string, rule: string, cooldownKey: string, untilAt: number): string {
  return `digest/${tenant}/${segment(rule)}/${cooldownKey}/${untilAt}`;
}

/** One per incident: it ends once, however many successes follow. */
export function resolveId(tenant: string, rule: string, incidentHash: string, openedAt: number): string {
  return `resolve/${tenant}/${segment(rule)}/${incidentHash}/${openedAt}`;
}

/** The idempotency key of one action of one remediation: the same over every retry, worker and restart. */
export function effectKey(remediation: string, action: string): string {
  return `${remediation}/${segment(action)}`;
}

/** A launcher that is tried after another has failed for good starts an agent of its own, under a key of its own. */
export function fallbackEffectKey(actionEffectKey: string, launcher: string): string {
  return `${actionEffectKey}~${segment(launcher)}`;
}

export function recipientEffectKey(actionEffectKey: string, recipient: string): string {
  return `${actionEffectKey}/${segment(recipient)}`;
}

/** An action without an id of its own goes by its type and place, as in the original rule format. */
export function actionName(action: { id?: string | undefined; type: string }, index: number): string {
  return action.id ?? `${action.type}:${index}`;
}

/** Rule and action ids are free text, so a slash, a space or an emoji in one must not break the id it becomes part of. */
function segment(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Undefined for what is not the id of a remediation. */
export function parseRemediationId(id: string): { tenant: string; rule: string; eventId: string } | undefined {
  const [, tenant, rule, eventId] = /^remediation\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(id) ?? [];
  if (tenant === undefined || rule === undefined || eventId === undefined) return undefined;
  try {
    return { tenant, rule: decodeURIComponent(rule), eventId };
  } catch {
    return undefined;
  }
}
