import { duration } from '#contract/text/duration.js';
import type { NotificationMessage } from '#contract/notification.js';
import { clock } from './clock.js';

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
  const [written, sent] = [clock(writtenAt, sentAt), clock(sentAt, writtenAt)];
  return `Delivered late: written ${written}, sent ${sent} (${duration(sentAt - writtenAt)} later). It says how things stood then.`;
}
