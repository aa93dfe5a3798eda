import { visible } from '#contract/text/plain-text.js';
import type { LoggedVerdict, MissedRule } from '#contract/views/verdicts.js';
import type { Paint, Screen } from '../terminal/screen.js';
import { moment } from '../terminal/times.js';
import { removedRules } from '../../known-rules.js';
import { explainSkip, type Skipped } from './explain-skip.js';
import { indent, renderFacts } from './facts.js';
import { renderStarted } from './started.js';
import type { EventExplanation } from '../../explain-event.js';

/** One judging of an event: what each rule that matched did and why, and what the others missed on. */
export function renderJudging(
  entries: LoggedVerdict[],
  facts: EventExplanation,
  now: number,
  screen: Screen,
): (string | string[])[] {
  const missed = entries.flatMap((entry) => entry.missed ?? []);
  const rules = new Set(entries.map(({ rule }) => rule));
  return [
    `Judged ${moment(entries[0]?.at ?? now, now)}:`,
    ...[...rules].map((rule) =>
      renderRule(
        rule,
        entries.filter((entry) => entry.rule === rule),
        facts,
        now,
        screen,
      ),
    ),
    renderMissed(missed, facts, rules, screen.paint),
  ];
}

/** One rule that matched; or, without a rule, what was decided about the event as a whole. */
function renderRule(
  rule: string | undefined,
  entries: LoggedVerdict[],
  facts: EventExplanation,
  now: number,
  screen: Screen,
): string[] {
  const { paint } = screen;
  const fired = entries.some(({ verdict }) => verdict === 'fire');
  const skips = entries.filter((entry): entry is Skipped => entry.verdict === 'skip');
  const noMatch = skips.some(({ code }) => code === 'no-match');
  const isRest = skips.some(({ code }) => code === 'rule-limit');
  const whole = isRest ? 'Rules that come later' : 'The whole event';
  const name = rule === undefined ? whole : `Rule ${paint.bold(visible(rule))}`;
  const nothing = rule === undefined ? (isRest ? 'not judged' : 'skipped') : 'matched, and nothing fired';
  const what = fired ? paint.green('fired') : paint.yellow(nothing);
  const heading = noMatch ? paint.yellow('No rule looks at this event.') : `${name}: ${what}`;
  // One explanation per kind of skip: a rule that cools down skips all its actions alike.
  const explained = [...new Map(skips.map((skip) => [skip.code, skip])).values()];
  return [
    heading,
    ...(noMatch ? reasonWithoutMisses(entries) : indent(verdictLines(entries))),
    ...explained.map((skip) => `  ${visible(explainSkip(skip, facts.status, now))}`),
    ...startedBy(entries, facts, now, screen),
  ];
}

/** The list of misses says it better, where there is one. */
function reasonWithoutMisses(entries: LoggedVerdict[]): string[] {
  return entries.flatMap((entry) =>
    entry.verdict === 'skip' && !entry.missed?.length ? [`  ${visible(entry.reason)}`] : [],
  );
}

/** Action by action; in one line when all of them were skipped alike. */
function verdictLines(entries: LoggedVerdict[]): string[] {
  const says = (entry: LoggedVerdict) =>
    entry.verdict === 'fire' ? 'fire' : `skip ${entry.code}: ${visible(entry.reason)}`;
  const [first, ...others] = entries;
  if (!first || first.action === undefined) return entries.map(says);
  const areAlike = others.length > 0 && others.every((entry) => says(entry) === says(first));
  if (areAlike && first.verdict === 'skip') return renderFacts([['every action', says(first)]]);
  return renderFacts(entries.map((entry) => [visible(entry.action ?? ''), says(entry)]));
}

function startedBy(entries: LoggedVerdict[], facts: EventExplanation, now: number, screen: Screen): string[] {
  const fires = entries.filter(({ verdict }) => verdict === 'fire');
  if (fires.length === 0) return [];
  const id = fires.find(({ remediation }) => remediation !== undefined)?.remediation;
  if (id === undefined) return ['  Its remediation is being started: ask again in a moment.'];
  const found = facts.remediations.find((one) => one.id === id);
  if (found) return indent(renderStarted(found, now, screen));
  return [
    `  Started ${visible(id)}, of which the server has nothing any more: it keeps what is closed for a time only.`,
  ];
}

function renderMissed(
  missed: MissedRule[],
  { knownRules, status }: EventExplanation,
  matched: Set<string | undefined>,
  paint: Paint,
): string[] {
  if (missed.length === 0) return [];
  const others = knownRules.filter((rule) => !matched.has(rule) && !missed.some((miss) => miss.rule === rule));
  const removed = removedRules(status, others);
  const left = others.filter((rule) => !removed.includes(rule));
  return [
    'Rules that did not look at it:',
    ...indent(renderFacts(missed.map(({ rule, reason }) => [visible(rule), visible(reason)]))),
    ...(left.length > 0
      ? [paint.dim(`  Not listed, for lack of room or because they are newer: ${left.map(visible).join(', ')}`)]
      : []),
    ...(removed.length > 0 ? [paint.dim(`  Not in the rules any more: ${removed.map(visible).join(', ')}`)] : []),
  ];
}
