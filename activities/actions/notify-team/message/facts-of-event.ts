import { utc } from '#contract/text/markdown.js';
import type { NotificationMessage } from '#contract/notification.js';
import { DEFAULT_TENANT } from '#contract/names.js';
import type { RemediationInput } from '#contract/remediation.js';
import { factsOf } from '#contract/facts.js';
import { joinLines } from '#contract/text/plain-text.js';

type Fact = NotificationMessage['facts'][number];

/** What is known of the event in short, the most telling first. */
export function factsOfEvent({ rule, event, firedAt }: RemediationInput): Fact[] {
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
