import { z } from 'zod';
import { listOf, strict, text } from '../../text/schema-words.js';
import { Template } from '../../text/template-text.js';
import { type ActionDefaults, ofEveryAction, type PlanOf } from '../of-every-action.js';

export const NotifyTeam = strict({
  type: z.literal('notify_team'),
  ...ofEveryAction,
  teamName: text().optional(),
  recipients: listOf(text(), 'a list of member names').optional(),
  summary: Template.optional(),
  messageTemplate: Template.optional(),
});
export type NotifyPlan = PlanOf<typeof NotifyTeam>;

/**
 * A mail server that is down for an hour must not cost a message. No number of attempts: a delivery is tried for as long as
 * `notify.retry` of the configuration says. One attempt may take as long as RFC 5321 gives a mail server that has the whole
 * mail: whoever ends it sooner and tries again sends the mail twice. Channels over HTTP end theirs earlier.
 */
export const notifyDefaults: ActionDefaults = {
  timeoutMs: 600_000,
  retry: { initialIntervalMs: 1_000, maxIntervalMs: 30_000 },
};
