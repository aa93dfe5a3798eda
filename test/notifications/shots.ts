import type { Recorded } from './recorded.js';
import type { Shot } from './screenshots.js';
import { STABLE_SETTING } from './stable-story.js';
import { writeMessages, type Written } from './write-messages.js';

/** The pictures of the page. */
export function shotsOf(recorded: Recorded): Shot[] {
  const { incident, digest, hostile } = writeMessages(recorded, STABLE_SETTING);
  return [
    { file: 'mail-desktop.png', html: htmlOf(incident), width: 720 },
    { file: 'mail-phone-dark.png', html: htmlOf(incident), width: 390, isDark: true },
    { file: 'mail-digest.png', html: htmlOf(digest), width: 720 },
    { file: 'mail-hostile.png', html: htmlOf(hostile), width: 720 },
  ];
}

function htmlOf({ mails: [mail] }: Written): string {
  if (!mail) throw new Error('no mail');
  return mail.html;
}
