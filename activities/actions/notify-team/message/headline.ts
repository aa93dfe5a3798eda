import { DEFAULT_TENANT } from '#contract/names.js';
import type { NotificationMessage } from '#contract/notification.js';

const OUTCOMES: Record<NonNullable<NotificationMessage['outcome']>, string> = {
  failed: 'Failure',
  timeout: 'Timeout',
  success: 'Success',
  unknown: 'Event',
};

/** What kind of message it is, in a word or two above the subject. Not how the remediation stands: it is not over yet. */
export function headline({ kind, outcome = 'unknown', tenant }: NotificationMessage): string[] {
  const what = kind === 'remediation' ? OUTCOMES[outcome] : kind === 'digest' ? 'Digest' : 'Resolved';
  return tenant === DEFAULT_TENANT ? [what] : [what, `tenant ${tenant}`];
}
