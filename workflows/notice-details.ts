import { code, utc } from '../contract/markdown.js';
import type { Notice, NoticeResult } from '../contract/notice.js';
import { describeParts } from './action-parts.js';
import type { RunningNews } from './progress.js';

/** What an operator sees beside a notice in the Temporal UI: what it is about, and who has got it. */
export function renderNoticeDetails(notice: Notice, news: RunningNews, result?: NoticeResult): string {
  const { deliveries, note } = news;
  const parts = describeParts({ state: 'running', sinceAt: notice.at, deliveries: result?.deliveries ?? deliveries });
  const state =
    result === undefined ? `Running${note === undefined ? '' : `: ${code(note)}`}` : HEADLINES[result.outcome];
  const why = result?.reason === undefined ? [] : [code(result.reason.slice(0, 300))];
  return [`### ${state}`, about(notice), ...why, parts.map((part) => `- ${part}`).join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
}

const HEADLINES: Record<NoticeResult['outcome'], string> = {
  executed: 'Done: everyone has got it',
  skipped: 'Done: there was nobody to tell',
  failed: 'Failed: not everyone has got it',
  aborted: 'Aborted by an operator',
};

function about(notice: Notice): string {
  const rule = `rule ${code(notice.rule)}`;
  if (notice.kind === 'resolve') {
    const { event, eventId } = notice.by;
    return `Works again, by event ${code(event)} ${code(eventId)}: what ${rule} told ${code(notice.incident.team)} about.`;
  }
  const { events, firstAt, lastAt } = notice.suppressed;
  const label = notice.label === undefined ? '' : ` for ${code(notice.label)}`;
  return `A cooldown of ${rule}${label} has ended. It kept ${events} events quiet, from ${utc(firstAt)} to ${utc(lastAt)}.`;
}
