import type { AlertSubject } from '#contract/notification.js';
import type { MeshEvent } from '#contract/event.js';
import type { RemediationInput } from '#contract/remediation.js';
import { namesIn } from '#rules/guards/works.js';

type About = Pick<AlertSubject, 'tenant' | 'rule' | 'session' | 'task'>;

/**
 * What belongs together in one thread: a rule, and the task in its session. Small numbers are common as task ids, so a task is
 * never taken for that of another session. An event of neither has a thread of its own.
 */
export function threadKey({ tenant, rule, session, task }: About, otherwise: string): string {
  const about = session === undefined && task === undefined ? [otherwise] : [session ?? '', task ?? ''];
  return JSON.stringify([tenant, rule, ...about]);
}

/** What an alert about this event is about. A later success is read in the same way. */
export function alertSubjectOf({ id, rule, event }: RemediationInput): AlertSubject {
  return {
    tenant: event.tenant,
    rule,
    remediation: id,
    root: rootOf(event),
    occurredAt: event.occurredAt,
    ...(event.session !== undefined && { session: event.session }),
    ...namesIn(event),
  };
}

function rootOf({ id, lineage }: MeshEvent): string {
  return lineage?.root ?? id;
}
