import { duration } from '../../../../contract/duration.js';
import { watchId } from '../../../../contract/ids.js';
import { utc } from '../../../../contract/markdown.js';
import { DEFAULT_TENANT } from '../../../../contract/names.js';
import type { DigestNotice, ResolveNotice } from '../../../../contract/notice.js';
import type { NotificationMessage } from '../../../../contract/notification.js';
import { commandsOfRule, commandsOfRun } from './commands.js';
import { oneLine } from './one-line.js';
import { redactMessage } from './redact-message.js';
import { runLinks } from './run-link.js';
import type { WritingDesk } from './write-message.js';

/** What a cooldown kept quiet: how much, from whom and when. */
export function writeDigest(notice: DigestNotice, { config, redactor, world }: WritingDesk): NotificationMessage {
  const { tenant, rule, at, label, suppressed } = notice;
  const { events, firstAt, lastAt } = suppressed;
  const more = events === 1 ? '1 more event' : `${events} more events`;
  const message: NotificationMessage = {
    kind: 'digest',
    tenant,
    rule,
    at,
    subject: oneLine(`Hook chain ${rule}: ${more} while it was quiet`),
    body: [
      `The cooldown of rule ${oneLine(rule)} has ended. Meanwhile ${more} matched it, and no action was taken.`,
      'The rule may fire again from now on.',
    ].join('\n'),
    facts: factsOf([
      ['Rule', rule],
      ['Tenant', tenant === DEFAULT_TENANT ? undefined : tenant],
      ['For', label],
      ['Kept quiet', more],
      ['First seen', utc(firstAt)],
      ['Last seen', lastAt === firstAt ? undefined : `${utc(lastAt)} (${duration(lastAt - firstAt)} later)`],
      ['Sessions', sessionsOf(suppressed)],
      ['Quiet ended', utc(at)],
    ]),
    did: [],
    quiet: [],
    links: runLinks(watchId(tenant), config, world, 'Open the watch'),
    commands: commandsOfRule(rule, tenant, world.temporal),
  };
  return redactMessage(message, redactor);
}

/** What was broken works again. */
export function writeResolved(notice: ResolveNotice, { config, redactor, world }: WritingDesk): NotificationMessage {
  const { tenant, rule, at, incident, by } = notice;
  const what = [incident.task && `task ${incident.task}`, incident.tool && `tool ${incident.tool}`].filter(Boolean);
  const subject = what.length === 0 ? 'it' : what.join(', ');
  const message: NotificationMessage = {
    kind: 'resolved',
    tenant,
    rule,
    at,
    outcome: 'success',
    subject: oneLine(`Resolved: hook chain ${rule} (${subject} works again)`),
    body: `A later ${by.event} of the same task or tool reported success, ${duration(at - incident.openedAt)} after the incident was opened.`,
    facts: factsOf([
      ['Rule', rule],
      ['Tenant', tenant === DEFAULT_TENANT ? undefined : tenant],
      ['Task', incident.task],
      ['Tool', incident.tool],
      ['Session', incident.session],
      ['Opened', utc(incident.openedAt)],
      ['Resolved', utc(at)],
      ['Success', `${by.event}, event id ${by.eventId}`],
    ]),
    did: [],
    quiet: [],
    links: runLinks(incident.remediation, config, world),
    commands: commandsOfRun(incident.remediation, rule, tenant, world.temporal).slice(0, 1),
  };
  return redactMessage(message, redactor);
}

function sessionsOf({ sessions, moreSessions }: DigestNotice['suppressed']): string | undefined {
  if (sessions.length === 0) return undefined;
  return [...sessions, ...(moreSessions > 0 ? [`and ${moreSessions} more`] : [])].join(', ');
}

function factsOf(facts: [label: string, value: string | undefined][]): NotificationMessage['facts'] {
  return facts.flatMap(([label, value]) => (value === undefined || value === '' ? [] : [{ label, value }]));
}
