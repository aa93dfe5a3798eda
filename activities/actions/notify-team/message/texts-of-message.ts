import { type NotificationMessage, TEXT_FIELDS, type TextField } from '#contract/notification.js';
import type { QuietWindow } from '#contract/views/story.js';
import type { Redactor } from '#contract/text/redact/redact.js';

/** Events are without secrets when they come; templates of rules, output of agents and answers of receivers may bring some. */
export function redactMessage(message: NotificationMessage, { text: redact }: Redactor): NotificationMessage {
  return withTexts(message, (text, { isAddress }) => (isAddress ? text : redact(text)));
}

/** Sizes are in bytes of JSON: a message goes into the history of its remediation once for each receiver. */
const MAX_BODY_BYTES = TEXT_FIELDS.body.maxBytes;
/** Of what the actions before came to, all together. */
const MAX_DID_BYTES = TEXT_FIELDS.did.text.maxBytes;
const MAX_LISTED = 16;
const MAX_QUIET = 4;
/** Of the actions that are quiet, and of the fields by which events are equal. */
const MAX_QUIET_NAMES = 3;

/** With more of them the long texts are cut shorter, so that the message takes no more of the history than with so many. */
const RECEIVERS_IN_FULL = 20;
const MIN_SHARE = 0.05;

/** Cuts what is too long, where it can be seen. The whole stays under 48 KiB: ids, and what is made of them, are short. */
export function boundMessage(message: NotificationMessage, receivers = 1): NotificationMessage {
  const share = Math.max(MIN_SHARE, Math.min(1, RECEIVERS_IN_FULL / receivers));
  const { body, payloadLine, did, toCome, quiet } = message;
  const listed = {
    ...message,
    ...boundBody(body, payloadLine, MAX_BODY_BYTES * share),
    did: boundDid(did, MAX_DID_BYTES * share),
    ...(toCome !== undefined && { toCome: boundToCome(toCome) }),
    quiet: quiet.slice(0, MAX_QUIET).map(boundQuiet),
  };
  return withTexts(listed, (text, { maxBytes, isLong }) => cut(text, isLong ? maxBytes * share : maxBytes));
}

/** The line belongs to the body. */
function boundBody(body: string, line: string | undefined, budget: number) {
  if (line === undefined) return { body };
  const each = fairShare([body, line].map(jsonBytes), budget);
  return { body: cut(body, each), payloadLine: cut(line, each) };
}

/** The last ones are nearest to this message. */
function boundDid(did: NotificationMessage['did'], budget: number): NotificationMessage['did'] {
  const listed = did.slice(-MAX_LISTED);
  const each = fairShare(
    listed.map(({ text = '' }) => jsonBytes(text)),
    budget,
  );
  const left = did.length - listed.length;
  return [
    ...(left > 0 ? [{ action: `${left} more before`, type: '', state: 'not shown here' }] : []),
    ...listed.map(({ text, ...one }) => ({ ...one, ...(text !== undefined && { text: cut(text, each) }) })),
  ];
}

/** How much each may have so that all of it fits: who needs little leaves more to the others. */
function fairShare(sizes: number[], budget: number): number {
  let share = budget;
  while (sizes.reduce((sum, size) => sum + Math.min(size, share), 0) > budget) share = Math.floor(share * 0.9);
  return share;
}

function boundToCome(toCome: NonNullable<NotificationMessage['toCome']>): NotificationMessage['toCome'] {
  const left = toCome.length - MAX_LISTED;
  return [...toCome.slice(0, MAX_LISTED), ...(left > 0 ? [{ action: `${left} more`, type: '' }] : [])];
}

function boundQuiet({ actions, fields, ...one }: QuietWindow): QuietWindow {
  return { ...one, ...(actions && { actions: firstOf(actions) }), ...(fields && { fields: firstOf(fields) }) };
}

function firstOf(names: string[]): string[] {
  const left = names.length - MAX_QUIET_NAMES;
  return left > 0 ? [...names.slice(0, MAX_QUIET_NAMES), `${left} more`] : names;
}

/** One that the list does not know was never looked at by anybody: it is treated like a short text of a stranger. */
const UNLISTED: TextField = { maxBytes: 320 };

/** The message with every text in it changed. */
function withTexts(
  message: NotificationMessage,
  change: (text: string, field: TextField) => string,
): NotificationMessage {
  return changed(message, TEXT_FIELDS) as NotificationMessage;

  function changed(value: unknown, fields: unknown): unknown {
    if (typeof value === 'string')
      return fields === 'code' ? value : change(value, isField(fields) ? fields : UNLISTED);
    if (Array.isArray(value)) return value.map((one) => changed(one, fields));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, changed(one, fieldsIn(fields, key))]));
  }
}

function isField(fields: unknown): fields is TextField {
  return typeof fields === 'object' && fields !== null && 'maxBytes' in fields;
}

function fieldsIn(fields: unknown, key: string): unknown {
  return typeof fields === 'object' && fields !== null && Object.hasOwn(fields, key)
    ? (fields as Record<string, unknown>)[key]
    : undefined;
}

function cut(text: string, maxBytes: number): string {
  if (jsonBytes(text) <= maxBytes) return text;
  let bytes = MARK_BYTES;
  let end = 0;
  for (const char of text) {
    bytes += jsonBytes(char);
    if (bytes > maxBytes) break;
    end += char.length;
  }
  return `${text.slice(0, end)}… [cut: ${text.length - end} more characters]`;
}

const MARK_BYTES = 40;

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
