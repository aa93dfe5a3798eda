import { code, utc } from '#contract/text/markdown.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';

const SHOWN_VERDICTS = 10;
const MAX_REASON_CHARS = 160;

/** The last verdicts for people, in Markdown: a line for each event, the newest first. */
export function describeLog(log: LoggedVerdict[]): string {
  if (log.length === 0) return '';
  const latest = log.at(-1)?.at ?? 0;
  const byEvent = new Map<string, LoggedVerdict[]>();
  for (const verdict of log.slice(-SHOWN_VERDICTS)) {
    const key = `${verdict.at} ${verdict.eventId}`;
    byEvent.set(key, [...(byEvent.get(key) ?? []), verdict]);
  }
  const lines = [...byEvent.values()].reverse().map((verdicts) => eventLine(verdicts, latest));
  return ['**Last verdicts** (UTC, newest first)', '', ...lines].join('\n');
}

function eventLine(verdicts: LoggedVerdict[], latest: number): string {
  const [{ at, event, eventId } = { at: 0, event: '', eventId: '' }] = verdicts;
  const said = new Map<string, string[]>();
  for (const verdict of verdicts) {
    const says = verdict.verdict === 'fire' ? '**fire**' : describeSkip(verdict);
    const times = verdict.times === undefined ? '' : ` (${verdict.times} times)`;
    const key = verdict.rule === undefined ? says + times : `${says} ${code(verdict.rule)}`;
    said.set(key, [...(said.get(key) ?? []), ...(verdict.action === undefined ? [] : [code(verdict.action)])]);
  }
  const parts = [...said].map(([says, actions]) => (actions.length === 0 ? says : `${says} ${actions.join(', ')}`));
  return `- ${momentOf(at, latest)} ${code(event)} ${code(eventId)}: ${parts.join('; ')}`;
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
