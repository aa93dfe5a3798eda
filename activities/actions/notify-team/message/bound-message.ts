import type { NotificationMessage } from '#contract/notification.js';

/** Sizes are in bytes of JSON: a message goes into the history of its remediation once for each receiver. */
const MAX_BODY_BYTES = 16 * 1024;
/** Of the error and of the payload. */
const MAX_EXCERPT_BYTES = 4_500;
/** Of what the actions before came to, all together. */
const MAX_DID_BYTES = 5_000;
const MAX_SUBJECT_BYTES = 1_000;
const MAX_VERDICT_BYTES = 400;
const MAX_FACT_BYTES = 320;
const MAX_NAME_BYTES = 80;
const MAX_NOTE_BYTES = 160;
const MAX_LISTED = 16;
const MAX_QUIET = 4;

/** With more of them the long texts are cut shorter, so that the message takes no more of the history than with so many. */
const RECEIVERS_IN_FULL = 20;
const MIN_SHARE = 0.05;

/** Cuts what is too long, where it can be seen. The whole stays under 48 KiB: ids, and what is made of them, are short. */
export function boundMessage(message: NotificationMessage, receivers = 1): NotificationMessage {
  const share = Math.max(MIN_SHARE, Math.min(1, RECEIVERS_IN_FULL / receivers));
  const { subject, verdict, body, error, payload, facts, did, toCome, quiet, commands } = message;
  return {
    ...message,
    subject: cut(subject, MAX_SUBJECT_BYTES),
    ...(verdict !== undefined && { verdict: cut(verdict, MAX_VERDICT_BYTES) }),
    body: cut(body, MAX_BODY_BYTES * share),
    ...(error !== undefined && { error: cut(error, MAX_EXCERPT_BYTES * share) }),
    facts: facts.map(({ label, value }) => ({ label, value: cut(value, MAX_FACT_BYTES) })),
    ...(payload !== undefined && { payload: cut(payload, MAX_EXCERPT_BYTES * share) }),
    did: boundDid(did, MAX_DID_BYTES * share),
    ...(toCome !== undefined && { toCome: boundToCome(toCome) }),
    commands: commands.map(({ note, ...one }) => ({
      ...one,
      ...(note !== undefined && { note: cut(note, MAX_NOTE_BYTES) }),
    })),
    quiet: quiet.slice(0, MAX_QUIET).map(({ what, ...one }) => ({ ...one, what: cut(what, MAX_FACT_BYTES) })),
  };
}

/** The last ones are nearest to this message. */
function boundDid(did: NotificationMessage['did'], budget: number): NotificationMessage['did'] {
  const listed = did.slice(-MAX_LISTED);
  const share = fairShare(
    listed.map(({ text = '' }) => jsonBytes(text)),
    budget,
  );
  const left = did.length - listed.length;
  return [
    ...(left > 0 ? [{ action: `${left} more before`, type: '', state: 'not shown here' }] : []),
    ...listed.map(({ text, ...one }) => ({
      ...one,
      action: cut(one.action, MAX_NAME_BYTES),
      ...(text !== undefined && { text: cut(text, share) }),
    })),
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
  return [
    ...toCome.slice(0, MAX_LISTED).map(({ onlyIf, ...one }) => ({
      ...one,
      action: cut(one.action, MAX_NAME_BYTES),
      ...(onlyIf !== undefined && { onlyIf: cut(onlyIf, MAX_NAME_BYTES) }),
    })),
    ...(left > 0 ? [{ action: `${left} more`, type: '' }] : []),
  ];
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
