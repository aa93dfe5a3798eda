import type { LoggedVerdict, SkipCode, Verdict } from '../contract/verdict.js';
import type { RuleCounters } from '../contract/watch.js';
import type { WatchState } from './watch-state.js';

export const KEPT_VERDICTS = 200;
const MAX_REASON_CHARS = 400;

export interface VerdictSubject {
  id: string;
  event: string;
  depth: number;
}

/** Remembers and counts what was decided about one event. Returns the entries, so that a fire can name its remediation later. */
export function logVerdicts(state: WatchState, subject: VerdictSubject, verdicts: Verdict[], at: number): LoggedVerdict[] {
  state.counters.events += 1;
  const entries = verdicts.map((verdict): LoggedVerdict => {
    count(state, verdict, at);
    const short = verdict.verdict === 'skip' ? { ...verdict, reason: cut(verdict.reason) } : verdict;
    return { ...short, at, eventId: subject.id, event: subject.event, depth: subject.depth };
  });
  state.verdicts.push(...entries);
  if (state.verdicts.length > KEPT_VERDICTS) state.verdicts.splice(0, state.verdicts.length - KEPT_VERDICTS);
  return entries;
}

function count(state: WatchState, verdict: Verdict, at: number): void {
  const rule = verdict.rule === undefined ? undefined : ruleCounters(state, verdict.rule);
  if (verdict.verdict === 'fire') {
    state.counters.fired += 1;
    if (rule) {
      rule.fired += 1;
      rule.lastFiredAt = at;
    }
    return;
  }
  add(state.counters.skipped, verdict.code);
  if (rule) add(rule.skipped, verdict.code);
}

function ruleCounters(state: WatchState, rule: string): RuleCounters {
  const known = state.counters.rules.get(rule) ?? { fired: 0, skipped: {} };
  state.counters.rules.set(rule, known);
  return known;
}

function add(counts: Partial<Record<SkipCode, number>>, code: SkipCode): void {
  counts[code] = (counts[code] ?? 0) + 1;
}

function cut(reason: string): string {
  return reason.length <= MAX_REASON_CHARS ? reason : `${reason.slice(0, MAX_REASON_CHARS)}…`;
}
