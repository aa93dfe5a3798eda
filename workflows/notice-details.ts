import { code, codeLine, utc } from '#contract/text/markdown.js';
import type { Notice, NoticeResult } from '#contract/notice.js';
import { wordsOfDoing } from '#contract/story-words.js';
import { plural } from '#contract/text/words.js';
import { meshCommand } from '#contract/text/shell-word.js';
import { describeParts } from './action-parts.js';
import type { RunningNews } from './progress.js';

/** What an operator sees beside a notice in the Temporal UI: what it is about, and who has got it. */
export function renderNoticeDetails(notice: Notice, news: RunningNews, result?: NoticeResult): string {
  const { deliveries, doing } = news;
  const parts = describeParts({ launches: [], deliveries: result?.deliveries ?? deliveries ?? [] });
  const isToldByParts = result?.deliveries?.some(({ status }) => status === 'failed' || status === 'aborted') === true;
  const why = isToldByParts ? undefined : (result?.reason ?? (doing && wordsOfDoing(doing)));
  const lines = [...(why === undefined ? [] : [codeLine(why, 300)]), ...parts];
  return [
    `### ${result === undefined ? 'Being delivered' : HEADLINES[result.outcome]}`,
    about(notice),
    lines.map((line) => `- ${line}`).join('\n'),
    result === undefined ? WHILE_RUNNING : whatToDo(notice, result),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const WHILE_RUNNING =
  'Attempts that failed, and why, are under *Pending Activities*. To stop trying: *Request Cancellation* above.';

function whatToDo({ id }: Notice, { outcome }: NoticeResult): string {
  if (outcome !== 'failed' && outcome !== 'aborted') return '';
  return `To tell those who have not got it: ${code(meshCommand('retry', [id]))}`;
}

const HEADLINES: Record<NoticeResult['outcome'], string> = {
  executed: 'Done: everyone has got it',
  skipped: 'Done: nobody was told',
  failed: 'Failed: not everyone has got it',
  aborted: 'Aborted by an operator',
};

function about(notice: Notice): string {
  const rule = `rule ${code(notice.rule)}`;
  if (notice.kind === 'resolve') {
    const { event, eventId } = notice.by;
    const { team, channel } = notice.alert;
    return `What ${rule} told ${code(`${team}/${channel}`)} about works again: event ${code(event)} ${code(eventId)} is a success.`;
  }
  const { events, firstAt, lastAt } = notice.suppressed;
  const label = notice.label === undefined ? '' : ` for ${code(notice.label)}`;
  return `A cooldown of ${rule}${label} has ended. It kept ${plural(events, 'event')} quiet, from ${utc(firstAt)} to ${utc(lastAt)}.`;
}
