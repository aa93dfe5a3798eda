import { code, utc } from '#contract/text/markdown.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';

const SHOWN_EVENTS = 10;
const MAX_REASON_CHARS = 160;
/** One event may meet as many rules as there are. */
const SHOWN_RULES = 8;

/** The last events for people, in Markdown: each whole, the newest first, with a line for each rule. */
export function describeLog(log: LoggedVerdict[]): string {
  if (log.length === 0) return '';
  const latest = log.at(-1)?.at ?? 0;
  const byEvent = new Map<string, LoggedVerdict[]>();
  for (const verdict of log.toReversed()) {
    const key = `${verdict.at} ${verdict.eventId}`;
    if (!byEvent.has(key) && byEvent.size === SHOWN_EVENTS) break;
    byEvent.set(key, [verdict, ...(byEvent.get(key) ?? [])]);
  }
  const lines = [...byEvent.values()].flatMap((verdicts) => eventLines(verdicts, latest));
  return ['**Last events** (UTC, newest first)', '', ...lines].join('\n');
}

function eventLines(verdicts: LoggedVerdict[], latest: number): string[] {
  const [first] = verdicts;
  if (!first) return [];
  const { at, event, eventId, tool, task, session } = first;
  const where = [tool ?? task, session].flatMap((name) => (name === undefined ? [] : [code(name)])).join(' in ');
  const rules = new Map<string | undefined, LoggedVerdict[]>();
  for (const verdict of verdicts) rules.set(verdict.rule, [...(rules.get(verdict.rule) ?? []), verdict]);
  const said = [...rules].map(([rule, ofRule]) => (rule === undefined ? '' : `${code(rule)}: `) + describeRule(ofRule));
  const head = `- ${momentOf(at, latest)} ${code(event)}${where === '' ? '' : ` ${where}`}, id ${code(eventId)}`;
  const more = said.length > SHOWN_RULES ? [`  - … and ${said.length - SHOWN_RULES} more`] : [];
  // What was decided about the whole event stands beside it.
  if (rules.size === 1 && rules.has(undefined)) return [`${head}: ${said.join('; ')}`];
  return [head, ...said.slice(0, SHOWN_RULES).map((line) => `  - ${line}`), ...more];
}

/** What it fired, and what each guard kept from running: in one line. */
function describeRule(verdicts: LoggedVerdict[]): string {
  const said = new Map<string, string[]>();
  for (const verdict of verdicts) {
    const what = verdict.verdict === 'fire' ? '**fired**' : describeSkip(verdict);
    const says = what + (verdict.times === undefined ? '' : ` (${verdict.times} times)`);
    said.set(says, [...(said.get(says) ?? []), ...(verdict.action === undefined ? [] : [code(verdict.action)])]);
  }
  const parts = [...said].map(([says, actions]) => (actions.length === 0 ? says : `${says} (${actions.join(', ')})`));
  return parts.join('; ');
}

/** The reason of an event that no rule wants names every rule: `mesh why` has room for that. */
function describeSkip({ code: why, reason }: Extract<LoggedVerdict, { verdict: 'skip' }>): string {
  return why === 'no-match' ? 'no rule matches' : `${why} ${code(reason.slice(0, MAX_REASON_CHARS))}`;
}

/** The time alone for what happened on the day of the latest verdict. */
function momentOf(at: number, latest: number): string {
  const isSameDay = utc(at).slice(0, 10) === utc(latest).slice(0, 10);
  return isSameDay ? utc(at).slice(11, 19) : utc(at).slice(0, 19);
}
