import { MAX_JUDGED_ACTIONS } from '#contract/limits.js';
import type { LoggedVerdict, MissedRule, SkipCode, Verdict } from '#contract/verdict.js';
import type { Notice } from '#contract/notice.js';
import { shortened } from '#contract/text/shorten.js';
import type { RuleCounters } from '#contract/watch.js';
import { push } from './push.js';
import type { WatchState } from './watch-state.js';

export const KEPT_VERDICTS = 200;
/** One event may bring so many, one for each action of the rules it is judged by and one on those that are left. */
const MAX_VERDICTS_OF_EVENT = MAX_JUDGED_ACTIONS + 1;
const MAX_REASON_CHARS = 400;

export interface VerdictSubject {
  id: string;
  event: string;
  depth: number;
}

/** Remembers and counts what was decided about one event. Returns the entries, so that a fire can name its remediation later. */
export function logVerdicts(
  state: WatchState,
  subject: VerdictSubject,
  verdicts: Verdict[],
  at: number,
  missed: MissedRule[] = [],
): LoggedVerdict[] {
  state.counters.events += 1;
  count(state, verdicts, at);
  if (isCopy(verdicts) && countCopy(state, subject, at)) return [];
  const entries = verdicts.map((verdict, index): LoggedVerdict => {
    const short =
      verdict.verdict === 'skip' ? { ...verdict, reason: shortened(verdict.reason, MAX_REASON_CHARS) } : verdict;
    const misses = index === 0 && missed.length > 0 ? { missed } : {};
    return { ...short, at, eventId: subject.id, event: subject.event, depth: subject.depth, ...misses };
  });
  keep(state, entries);
  return entries;
}

function isCopy([verdict]: Verdict[]): boolean {
  return verdict?.verdict === 'skip' && verdict.code === 'duplicate';
}

/** A storm of copies of one event is one entry with a count: it must not push every other verdict out of the log. */
function countCopy(state: WatchState, subject: VerdictSubject, at: number): boolean {
  const index = state.verdicts.findLastIndex(
    (entry) => entry.eventId === subject.id && entry.verdict === 'skip' && entry.code === 'duplicate',
  );
  const [known] = index < 0 ? [] : state.verdicts.splice(index, 1);
  if (!known) return false;
  // At the end again, so that the log stays ordered by time.
  state.verdicts.push({ ...known, at, times: (known.times ?? 1) + 1 });
  return true;
}

/** A signal that was not understood is answered where people look for answers: among the verdicts. */
export function logRefusedSignal(state: WatchState, signal: string, reason: string, at: number): void {
  keep(state, [{ verdict: 'skip', code: 'error', reason, at, eventId: '?', event: `signal ${signal}`, depth: 0 }]);
}

/** A message that no event brought about has no event to stand with. */
export function logFailedNotice(state: WatchState, { id, rule }: Notice, why: string, at: number): void {
  const reason = shortened(`message ${id} could not be started: ${why}`, MAX_REASON_CHARS);
  keep(state, [{ verdict: 'skip', code: 'error', reason, rule, at, eventId: '?', event: 'message', depth: 0 }]);
}

/** A fire whose remediation could not be started becomes an error where people look for it. Its guards stay armed. */
export function turnIntoError(state: WatchState, entries: LoggedVerdict[], reason: string): void {
  for (const entry of entries) {
    delete entry.remediation;
    Object.assign(entry, { verdict: 'skip', code: 'error', reason: shortened(reason, MAX_REASON_CHARS) });
  }
  const rule = ruleCounters(state, entries[0]?.rule ?? '');
  for (const counters of [state.counters, rule]) {
    counters.fired -= 1;
    add(counters.skipped, 'error');
  }
}

function keep(state: WatchState, entries: LoggedVerdict[]): void {
  state.verdicts.push(...entries);
  state.verdicts = lastWholeEvents(state.verdicts, KEPT_VERDICTS);
}

/** The last ones, and what else was said then of the event that the first of them is about: half of an answer misleads. */
export function lastWholeEvents(verdicts: LoggedVerdict[], count: number): LoggedVerdict[] {
  let from = Math.max(0, verdicts.length - count);
  const earliest = Math.max(0, from - MAX_VERDICTS_OF_EVENT);
  while (from > earliest && isOfSameEvent(verdicts[from - 1], verdicts[from])) from -= 1;
  return from === 0 ? verdicts : verdicts.slice(from);
}

/** A storm of what names no event is not one event. */
function isOfSameEvent(one: LoggedVerdict | undefined, other: LoggedVerdict | undefined): boolean {
  return one !== undefined && one.eventId !== '?' && one.eventId === other?.eventId && one.at === other.at;
}

/** Counts events, not actions: a rule with three actions that is cooling down suppressed one event, not three. */
function count(state: WatchState, verdicts: Verdict[], at: number): void {
  const byRule = new Map<string | undefined, Verdict[]>();
  for (const verdict of verdicts) push(byRule, verdict.rule, verdict);
  for (const [rule, ofRule] of byRule) {
    const fired = ofRule.some(({ verdict }) => verdict === 'fire');
    const codes = new Set(ofRule.flatMap((verdict) => (verdict.verdict === 'skip' ? [verdict.code] : [])));
    const counters = rule === undefined ? undefined : ruleCounters(state, rule);
    if (counters && fired) counters.lastFiredAt = at;
    for (const counter of counters ? [state.counters, counters] : [state.counters]) {
      if (fired) counter.fired += 1;
      for (const code of codes) add(counter.skipped, code);
    }
  }
}

function ruleCounters(state: WatchState, rule: string): RuleCounters {
  const known = state.counters.rules.get(rule) ?? { fired: 0, skipped: {} };
  state.counters.rules.set(rule, known);
  return known;
}

function add(counts: Partial<Record<SkipCode, number>>, code: SkipCode): void {
  counts[code] = (counts[code] ?? 0) + 1;
}
