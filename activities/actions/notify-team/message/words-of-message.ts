import { duration } from '#contract/text/duration.js';
import { utcBeside } from '#contract/text/markdown.js';
import { DEFAULT_TENANT } from '#contract/names.js';
import type { NotificationMessage } from '#contract/notification.js';
import { joinLines, visibleLines } from '#contract/text/plain-text.js';

// The words that all channels have in common, each in its own markup.

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

/** Sooner, nobody would act otherwise for knowing it. */
const LATE_MS = 600_000;

/** The message as it stands when it is sent: after a mail server was down for hours, people must see that it is old. */
export function asOfNow(message: NotificationMessage, nowMs: number): NotificationMessage {
  const { writtenAt } = message;
  if (writtenAt === undefined || nowMs - writtenAt < LATE_MS) return message;
  return { ...message, late: { writtenAt, sentAt: nowMs } };
}

/** The first thing to know about an old message. */
export function tellLateness({ late }: NotificationMessage): string | undefined {
  if (late === undefined) return undefined;
  const { writtenAt, sentAt } = late;
  const [written, sent] = [utcBeside(writtenAt, sentAt), utcBeside(sentAt, writtenAt)];
  return `Delivered late: written ${written}, sent ${sent} (${duration(sentAt - writtenAt)} later). It says how things stood then.`;
}

/** The body for whoever shows nothing beside it. */
export function wholeBody({ body, payloadLine }: Pick<NotificationMessage, 'body' | 'payloadLine'>): string {
  return payloadLine === undefined ? body : `${body}\nPayload: ${payloadLine}`;
}

/** The error to show beside the body: none when the rule's own text has it already. */
export function shownError({ error, body, bodyRepeatsFacts }: NotificationMessage): string | undefined {
  const [firstLine = ''] = visibleLines((error ?? '').trim());
  // Templates are filled in with what people see, such as blanks for tabs.
  const isSaid = firstLine !== '' && visibleLines(body).some((line) => line.includes(firstLine));
  return bodyRepeatsFacts !== true && isSaid ? undefined : error;
}

/** An action without a name of its own goes by its type and place. */
export function nameOfAction({ action, type }: { action: string; type: string }): string {
  return joinLines(action.startsWith(type) ? action : `${action} (${type})`);
}

/** The state of an action as people say it. */
export function saidState(state: string): string {
  if (state === 'running') return 'still running';
  return state === 'waiting' ? 'not started yet' : state;
}

/** What a command is for, in one line. */
export function tellCommand({ what, note }: NotificationMessage['commands'][number]): string {
  return joinLines(note === undefined ? what : `${what} (${note})`);
}
