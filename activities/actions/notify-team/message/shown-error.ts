import type { NotificationMessage } from '../../../../contract/notification.js';

/** The error to show beside the body: none when the rule's own text has it already. */
export function shownError({ error, body, bodyRepeatsFacts }: NotificationMessage): string | undefined {
  const [firstLine = ''] = (error ?? '').trim().split(/[\r\n]/, 1);
  return bodyRepeatsFacts !== true && firstLine !== '' && body.includes(firstLine) ? undefined : error;
}
