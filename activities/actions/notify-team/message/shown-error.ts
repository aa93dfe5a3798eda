import type { NotificationMessage } from '#contract/notification.js';
import { visibleLines } from '#contract/text/plain-text.js';

/** The error to show beside the body: none when the rule's own text has it already. */
export function shownError({ error, body, bodyRepeatsFacts }: NotificationMessage): string | undefined {
  const [firstLine = ''] = visibleLines((error ?? '').trim());
  // Templates are filled in with what people see, such as blanks for tabs.
  const isSaid = firstLine !== '' && visibleLines(body).some((line) => line.includes(firstLine));
  return bodyRepeatsFacts !== true && isSaid ? undefined : error;
}
