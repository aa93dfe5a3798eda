import type { NotificationMessage } from '#contract/notification.js';
import { joinLines, shownText, visibleLines } from '#contract/text/plain-text.js';
import { shortHash } from '#contract/hash.js';
import type { Parcel } from '../../channel.js';
import { tellCommand } from '../../message/commands.js';
import { tellLateness } from '../../message/lateness.js';
import { saidState } from '../../message/said-state.js';
import { whatNext } from '../../message/what-next.js';
import type { PagerDutyConfig } from './channel.js';

type Severity = PagerDutyConfig['severity'];

/** An event of the Events API v2, without the routing key. */
export type PagerDutyEvent =
  | { event_action: 'resolve'; dedup_key: string }
  | {
      event_action: 'trigger';
      dedup_key: string;
      payload: {
        summary: string;
        source: string;
        severity: Severity;
        timestamp: string;
        component: string;
        group: string;
        class: string;
        custom_details: Record<string, unknown>;
      };
      links: { href: string; text: string }[];
      client: string;
      client_url?: string;
    };

const MAX_SUMMARY_CHARS = 1_024;
const MAX_NAME_CHARS = 255;
/** PagerDuty takes 512 KB for everything; people take less. */
const MAX_TEXT_CHARS = 4_000;
const MAX_ENTRIES = 50;

export function renderPagerDuty(parcel: Parcel<PagerDutyConfig>): PagerDutyEvent {
  const { channel, request } = parcel;
  const { message, closes } = request;
  // Good news names what it ends: the key of an alert that was opened under another thread would close nothing.
  if (closes !== undefined) return { event_action: 'resolve', dedup_key: closes };
  const [link] = message.links;
  return {
    event_action: 'trigger',
    dedup_key: dedupKey(parcel),
    payload: {
      summary: line(summaryOf(message), MAX_SUMMARY_CHARS),
      source: `remediation-mesh/${message.tenant}`,
      severity: channel.severity,
      timestamp: new Date(message.at).toISOString(),
      component: name(message.rule),
      group: message.tenant,
      class: message.outcome ?? 'unknown',
      custom_details: detailsOf(message),
    },
    links: message.links.map(({ text, url }) => ({ href: url, text: name(text) })),
    client: 'Remediation Mesh',
    ...(link !== undefined && { client_url: link.url }),
  };
}

/** All that a phone call says. What the rule has written itself is kept; the usual subject says nothing of what went wrong. */
function summaryOf({ rule, subject, isDefaultSubject, error = '' }: NotificationMessage): string {
  const [first = ''] = visibleLines(error.trim());
  return isDefaultSubject === true && first.trim() !== '' ? `${rule}: ${first}` : subject;
}

/** Of which a success closes the alert: of what the channel resolves on the task, if the event names one, else the tool. */
export function subjectOf({ channel, request }: Parcel<PagerDutyConfig>): 'task' | 'tool' | undefined {
  const { alert } = request;
  return (['task', 'tool'] as const).find((what) => channel.resolveOn?.includes(what) && alert?.[what] !== undefined);
}

/**
 * One per thread, so that PagerDuty makes one alert of all that is said about it. Where a tool closes it, one for each tool: an
 * alert has one subject. Hashed: it takes 255 characters.
 */
function dedupKey(parcel: Parcel<PagerDutyConfig>): string {
  const { threadKey, alert } = parcel.request;
  const about = subjectOf(parcel) === 'tool' ? JSON.stringify([threadKey, alert?.tool]) : threadKey;
  return `remediation-mesh/${shortHash(about)}`;
}

function detailsOf(message: NotificationMessage): Record<string, unknown> {
  const { body, bodyRepeatsFacts, verdict, error, did, facts, commands, payload } = message;
  const next = whatNext(message);
  const late = tellLateness(message);
  return {
    ...(late !== undefined && { late: name(late) }),
    ...(verdict !== undefined && { 'how it stands': line(verdict, MAX_TEXT_CHARS) }),
    ...(bodyRepeatsFacts !== true && { message: shown(body) }),
    ...(error !== undefined && { error: shown(error) }),
    ...(did.length > 0 && { 'what the mesh did': did.slice(0, MAX_ENTRIES).map(tellDid) }),
    ...(next.length > 0 && { 'what happens next': next.slice(0, MAX_ENTRIES).map(shown) }),
    details: Object.fromEntries(
      facts.slice(0, MAX_ENTRIES).map(({ label, value }) => [name(label), line(value, MAX_TEXT_CHARS)]),
    ),
    ...(commands.length > 0 && {
      'to act': Object.fromEntries(commands.map((one) => [name(tellCommand(one)), line(one.command, MAX_TEXT_CHARS)])),
    }),
    ...(payload !== undefined && { payload: shown(payload) }),
  };
}

function tellDid({ action, type, state, text }: NotificationMessage['did'][number]): string {
  const who = action.startsWith(type) ? name(action) : `${name(action)} (${name(type)})`;
  const said = text === undefined ? '' : `: ${shown(text)}`;
  return `${who}: ${name(saidState(state))}${said}`;
}

function name(text: string): string {
  return line(text, MAX_NAME_CHARS);
}

/** JSON could say a half of a character, and readers of it could not. */
function line(text: string, maxChars: number): string {
  return joinLines(text, maxChars).toWellFormed();
}

function shown(text: string): string {
  return shownText(text, MAX_TEXT_CHARS);
}
