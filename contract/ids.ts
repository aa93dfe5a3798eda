// The only place where ids are made. Ids are stored in clear and shown to people, so they hold names, never payload text.

export function watchId(tenant: string): string {
  return `watch/${tenant}`;
}

/** Undefined for what is not the id of a watch. */
export function tenantOfWatch(id: string): string | undefined {
  return /^watch\/([^/]+)$/.exec(id)?.[1];
}

export function remediationId(tenant: string, rule: string, eventId: string): string {
  return `remediation/${tenant}/${segment(rule)}/${eventId}`;
}

/**
 * One per environment of a mesh: whoever asks for its capacity meanwhile extends it. Environments belong to the bridge, which
 * the tenants of a mesh share.
 */
export function leaseId(taskQueue: string, environment: string): string {
  return `lease/${segment(taskQueue)}/${segment(environment)}`;
}

/** Undefined for what is not the id of a lease. */
export function parseLeaseId(id: string): { environment: string } | undefined {
  const [, environment] = /^lease\/[^/]+\/([^/]+)$/.exec(id) ?? [];
  if (environment === undefined) return undefined;
  try {
    return { environment: decodeURIComponent(environment) };
  } catch {
    return undefined;
  }
}

/** One per launcher of a mesh: its workers share a task queue, and what the launchers are called. */
export function slotsId(taskQueue: string, launcher: string): string {
  return `slots/${segment(taskQueue)}/${segment(launcher)}`;
}

/** One per cooldown that has ended. */
export function digestId(tenant: string, rule: string, cooldownKey: string, untilAt: number): string {
  return `digest/${tenant}/${segment(rule)}/${cooldownKey}/${untilAt}`;
}

/** One per alert: it is resolved once, however many successes follow. */
export function resolveId(tenant: string, rule: string, alertHash: string, openedAt: number): string {
  return `resolve/${tenant}/${segment(rule)}/${alertHash}/${openedAt}`;
}

/** Whether it is the id of a message of the mesh itself: a digest, or good news. */
export function isNoticeId(id: string): boolean {
  return /^(digest|resolve)\/[^/]+\/[^/]+\/[^/]+\/\d+$/.test(id);
}

/** The idempotency key of one action of one remediation: the same over every retry, worker and restart. */
export function effectKey(remediation: string, action: string): string {
  return `${remediation}/${keyPart(action)}`;
}

/** A launcher that is tried after another has failed for good starts an agent of its own, under a key of its own. */
export function fallbackEffectKey(actionEffectKey: string, launcher: string): string {
  return `${actionEffectKey}~${launcherPart(launcher)}`;
}

/** For a retry by hand, when the agent of the last key is known to have ended. */
export function retryEffectKey(launcherEffectKey: string, endedSession: string): string {
  return `${launcherEffectKey}~${RETRY}${endedSession.slice(0, SESSION_CHARS)}`;
}

const RETRY = 'retry-';
/** Enough to tell the retries of one action apart. */
const SESSION_CHARS = 8;

/** The part of an action in a key. A tilde comes before the launcher and before the retry, and nowhere else in a key. */
export function keyPart(text: string): string {
  return segment(text).replaceAll('~', '%7E');
}

/** The part of a launcher in a key, written so that no name of a launcher can be read as a retry. */
export function launcherPart(launcher: string): string {
  const part = keyPart(launcher);
  return part.startsWith(RETRY) ? part.replace('-', '%2D') : part;
}

export function recipientEffectKey(actionEffectKey: string, recipient: string): string {
  return `${actionEffectKey}/${segment(recipient)}`;
}

/** An action without an id of its own goes by its type and place, as in the original rule format. */
export function actionName(action: { id?: string | undefined; type: string }, index: number): string {
  return action.id ?? `${action.type}:${index}`;
}

/** Rule and action ids are free text, so a slash, a space or an emoji in one must not break the id it becomes part of. */
export function segment(text: string): string {
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
