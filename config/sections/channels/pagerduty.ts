import { listOf, oneOf, strict } from '#contract/text/schema-words.js';
import { httpUrl } from '../http-url.js';
import { secretText } from '../secret-text.js';
import { ofEveryChannel } from './of-every-channel.js';

const SEVERITIES = ['critical', 'error', 'warning', 'info'] as const;
const RESOLVE_ON = ['task', 'tool'] as const;

/** An alert of PagerDuty, through the Events API v2. */
export const PagerDutyChannel = strict({
  ...ofEveryChannel('pagerduty'),
  /** The integration key of a service. */
  routingKey: secretText(),
  severity: oneOf(SEVERITIES).default('error'),
  /** The alert is resolved when the same task, or the same tool, succeeds later. Left out: by people only. */
  resolveOn: listOf(oneOf(RESOLVE_ON), 'a list of task, tool').min(1, { error: 'task, tool or both' }).optional(),
  url: httpUrl().default('https://events.pagerduty.com/v2/enqueue'),
});
