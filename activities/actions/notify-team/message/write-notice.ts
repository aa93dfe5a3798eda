import { duration } from '#contract/text/duration.js';
import { watchId } from '#contract/ids.js';
import { utc } from '#contract/text/markdown.js';
import { DEFAULT_TENANT } from '#contract/names.js';
import type { DigestNotice, ResolveNotice } from '#contract/notice.js';
import type { NotificationMessage } from '#contract/notification.js';
import { quoted } from '#contract/text/words.js';
import { boundMessage } from './bound-message.js';
import { commandsOfRule, commandsOfRun } from './commands.js';
import { joinLines } from '#contract/text/plain-text.js';
import { redactMessage } from './redact-message.js';
import { runLinks } from './run-link.js';
import type { WritingDesk } from './write-message.js';

/** What a cooldown kept quiet: how much, from whom and when. */
export function writeDigest(
  notice: DigestNotice,
  { config, redactor, world, receivers }: WritingDesk,
): NotificationMessage {
  const { tenant, rule, at, label, suppressed } = notice;
  const { events, firstAt, lastAt } = suppressed;
  const lastAgo = ago(at - lastAt);
  const more = events === 1 ? '1 more event' : `${events} more events`;
  const message: NotificationMessage = {
    kind: 'digest',
    tenant,
    rule,
    at,
    // It says how things stood then, also when a pause has kept it back since.
    writtenAt: at,
    // Whether it goes on is what decides if anybody gets up.
    subject: joinLines(
      `Hook chain ${rule}: ${more} ${events === 1 ? lastAgo : `in ${duration(at - firstAt)}, last ${lastAgo}`}`,
    ),
    body: [
      `The cooldown of rule ${joinLines(rule)} has ended. Meanwhile ${more} matched it, the last ${lastAgo}, and this rule did nothing about them.`,
      'The rule may fire again from now on.',
    ].join('\n'),
    facts: factsOf([
      ['Rule', rule],
      ['Tenant', tenant === DEFAULT_TENANT ? undefined : tenant],
      ['For', label],
      ['Kept quiet', more],
      ['First seen', utc(firstAt)],
      ['Last seen', lastAt === firstAt ? undefined : `${utc(lastAt)} (${duration(lastAt - firstAt)} later)`],
      ...sessionsOf(suppressed),
      lastOf(suppressed),
      ['Quiet ended', utc(at)],
    ]),
    did: [],
    quiet: [],
    links: runLinks(watchId(tenant), config, world, 'Open the watch'),
    commands: commandsOfRule(rule, tenant, world.temporal),
  };
  return boundMessage(redactMessage(message, redactor), receivers);
}

/** What was broken works again. */
export function writeResolved(
  notice: ResolveNotice,
  { config, redactor, world, nowMs }: WritingDesk,
): NotificationMessage {
  const { tenant, rule, at, alert, by } = notice;
  const what = [alert.task && `task ${quoted(alert.task)}`, alert.tool && `tool ${quoted(alert.tool)}`].filter(Boolean);
  const subject = what.length === 0 ? 'it' : what.join(', ');
  const message: NotificationMessage = {
    kind: 'resolved',
    tenant,
    rule,
    at,
    writtenAt: nowMs,
    outcome: 'success',
    subject: joinLines(`Resolved: hook chain ${rule} (${subject} works again)`),
    body: `A later ${joinLines(quoted(by.event))} of the same task or tool reported success, ${duration(at - alert.openedAt)} after the alert was opened.`,
    facts: factsOf([
      ['Rule', rule],
      ['Tenant', tenant === DEFAULT_TENANT ? undefined : tenant],
      ['Task', alert.task],
      ['Tool', alert.tool],
      ['Session', alert.session],
      ['Opened', utc(alert.openedAt)],
      ['Resolved', utc(at)],
      ['Success', `${by.event}, event id ${by.eventId}`],
    ]),
    did: [],
    quiet: [],
    links: runLinks(alert.remediation, config, world),
    commands: commandsOfRun(alert.remediation, rule, tenant, world.temporal).slice(0, 1),
  };
  return boundMessage(redactMessage(message, redactor));
}

function ago(ms: number): string {
  return ms < 1_000 ? 'just now' : `${duration(ms)} ago`;
}

type Row = [label: string, value: string | undefined];

function sessionsOf({ sessions, moreSessions }: DigestNotice['suppressed']): Row[] {
  return [
    ...sessions.map((session): Row => ['Session', session]),
    ...(moreSessions > 0 ? [['More sessions', String(moreSessions)] satisfies Row] : []),
  ];
}

/** In the words of the event. */
function lastOf({ last: { tool, error } = {} }: DigestNotice['suppressed']): Row {
  if (error === undefined) return ['Last tool', tool && joinLines(tool)];
  return ['Last error', joinLines(tool === undefined ? error : `${tool}: ${error}`)];
}

function factsOf(facts: Row[]): NotificationMessage['facts'] {
  return facts.flatMap(([label, value]) => (value === undefined || value === '' ? [] : [{ label, value }]));
}
