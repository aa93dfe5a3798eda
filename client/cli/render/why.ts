import { visible } from '#contract/text/plain-text.js';
import type { LoggedVerdict } from '#contract/verdict.js';
import type { Screen } from '../terminal/screen.js';
import { moment } from '../terminal/times.js';
import { plural, renderSections } from './facts.js';
import { renderJudging } from './judging.js';
import { renderNotJudged } from './not-judged.js';
import { type EventExplanation, splitVerdicts } from '../../explain-event.js';

/** Why an event led to what it led to, for somebody who was woken up by it. */
export function renderWhy(facts: EventExplanation, now: number, screen: Screen): string {
  const { judgement, status, eventId } = facts;
  const { paint } = screen;
  const { copies, judgings } = splitVerdicts(judgement.verdicts);
  const [first] = judgement.verdicts;
  const about = first ? ` (${visible(first.event)}${first.depth > 0 ? `, depth ${first.depth}` : ''})` : '';
  return renderSections([
    `Event ${paint.bold(visible(eventId))}${about}, tenant ${status.tenant}`,
    ...judgings.flatMap((entries) => renderJudging(entries, facts, now, screen)),
    ...(judgings.length === 0 ? renderNotJudged(facts, now, screen) : []),
    reportedAgain(copies, now),
  ]);
}

function reportedAgain(copies: LoggedVerdict[], now: number): string {
  const times = copies.reduce((sum, { times: folded = 1 }) => sum + folded, 0);
  const last = copies.at(-1);
  if (!last) return '';
  return `Reported again ${plural(times, 'time')}, the last ${moment(last.at, now)}: skipped as duplicate, nothing was done twice.`;
}
