import { visible } from '#contract/text/plain-text.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';
import type { Paint, Screen } from '../terminal/screen.js';
import { tenantOptions } from '../tenant-option.js';
import { meshCommand } from '../terminal/shell-word.js';
import { moment } from '../terminal/times.js';
import { indent, plural, renderSections } from './facts.js';
import { renderJudging } from './judging.js';
import { renderStarted } from './started.js';
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

/** There are no verdicts to explain: then at least why not, what is there all the same, and what to do. */
function renderNotJudged(facts: EventExplanation, now: number, screen: Screen): string[][] {
  const { paint } = screen;
  const { judgement, remediations } = facts;
  // Judged without a verdict: only copies of it are still in the log.
  const state = judgement.state === 'judged' ? 'forgotten' : judgement.state;
  if (state === 'waiting') return [whyItWaits(facts, now, paint)];
  return [
    state === 'forgotten'
      ? ['It was judged, but its verdicts are no longer kept: a watch remembers its last 200.']
      : ['The watch of this tenant has not seen it, or so long ago that it forgot.'],
    ...(remediations.length > 0
      ? remediations.map((one) => [
          `Rule ${paint.bold(visible(one.rule))} fired for it:`,
          ...indent(renderStarted(one, now, screen)),
        ])
      : [nothingFound(facts, state)]),
  ];
}

function whyItWaits({ status: { held, ruleset } }: EventExplanation, now: number, paint: Paint): string[] {
  if (!held) return ['It is stored and waits to be judged. Ask again in a moment.'];
  return [
    `It is stored and waits: the rules cannot be read since ${moment(held.sinceAt, now)}.`,
    ...held.problems.map((problem) => `  ${paint.red(visible(problem))}`),
    'Nothing is lost: it is judged by itself once they can be read.' +
      (ruleset ? ` To check an edit: ${meshCommand('check', [ruleset.source])}` : ''),
  ];
}

function nothingFound(
  { eventId, knownRules, status: { tenant } }: EventExplanation,
  state: 'forgotten' | 'unknown',
): string[] {
  const looked = knownRules.length === 0 ? '' : ` Looked for remediations of: ${knownRules.map(visible).join(', ')}.`;
  const nothing = `No remediation was found for it, or the server does not keep it any more.${looked}`;
  if (state === 'forgotten')
    return [nothing, `What the rules do now: ${meshCommand('status', [], tenantOptions(tenant))}`];
  return [
    nothing,
    'What to do:',
    '  Compare the id with the one that `mesh send` printed, or with the log of who reported it.',
    `  Ask another tenant: ${meshCommand('why', [eventId], ['--tenant', '<name>'])}`,
    `  See whether it still lies in the spool of the machine that reported it: ${meshCommand('spool')}`,
    '  Report it again with the same id: if it did arrive, it is recognised.',
  ];
}
