import { remediationId } from '#contract/ids.js';
import { MAX_JUDGED_ACTIONS } from '#contract/limits.js';
import { code, utc } from '#contract/text/markdown.js';
import { shortened } from '#contract/text/shorten.js';
import { plural } from '#contract/text/words.js';
import { isCopy, type SkipCode } from '#contract/verdict.js';
import type { LoggedVerdict, Verdict } from '#contract/views/verdicts.js';
import type { RuleCounters, WatchCounters } from '#contract/watch.js';
import type { GuardMemory } from '#rules/guards/memory.js';
import type { Judged } from '../judged.js';
import type { Files } from './files.js';
import type { Ledger } from './ledger.js';
import { describeLog } from './verdict-lines.js';

export interface SavedVerdicts {
  log: LoggedVerdict[];
  counters: WatchCounters;
}

type Counters = Omit<WatchCounters, 'rules'> & { rules: Map<string, RuleCounters> };

export interface Verdicts extends Ledger<SavedVerdicts> {
  /** A fire whose remediation could not be started becomes an error where people look for it. Its guards stay armed. */
  turnIntoError(eventId: string, rule: string, reason: string): void;
  /** A signal that was not understood, or a message that no event brought about: it has no event to stand with. */
  logError(what: string, reason: string, at: number, rule?: string): void;
  /** How much there was in all, for people. */
  summary(): string;
  /** The last ones, or those of one event among them. */
  list(eventId?: string): LoggedVerdict[];
}

export const KEPT_VERDICTS = 200;
const KEPT_WHEN_CROWDED = 20;
/** One event may bring so many, one for each action of the rules it is judged by and one on those that are left. */
const MAX_VERDICTS_OF_EVENT = MAX_JUDGED_ACTIONS + 1;
export const MAX_REASON_CHARS = 400;
const SHOWN_RULES = 30;

/** The last verdicts, and how many there were of each kind. */
export function createVerdicts(tenant: string, { cooldowns }: GuardMemory, files: Pick<Files, 'isInUse'>): Verdicts {
  let log: LoggedVerdict[] = [];
  let counters: Counters = { events: 0, fired: 0, skipped: {}, rules: new Map() };

  return {
    load(saved) {
      log = saved.log;
      counters = { ...saved.counters, rules: new Map(saved.counters.rules) };
    },
    save: () => ({ log, counters: { ...counters, rules: [...counters.rules] } }),
    // At last the newest only, also of an event that met very many rules: guards must not make room for what people read.
    shed: [
      () => (log = log.map(({ missed: _missed, ...verdict }) => verdict)),
      () => (log = lastWholeEvents(log, KEPT_WHEN_CROWDED)),
      () => (log = log.slice(-KEPT_WHEN_CROWDED)),
    ].map((shed) => ({ what: 'verdicts', shed })),
    learn(judged) {
      counters.events += 1;
      count(judged.verdicts, judged.at);
      const [first] = judged.verdicts;
      if (!first || !isCopy(first) || !countCopy(judged)) keep(loggedOf(tenant, judged));
    },
    show: () => ({ counters: { ...counters, rules: Object.fromEntries(counters.rules) } }),
    details: () => [describeRules(), describeLog(log)].filter((part) => part !== '').join('\n\n'),
    turnIntoError(eventId, rule, reason) {
      const fires = log.filter((one) => one.verdict === 'fire' && one.rule === rule && one.eventId === eventId);
      for (const entry of fires) {
        delete entry.remediation;
        Object.assign(entry, { verdict: 'skip', code: 'error', reason: shortened(reason, MAX_REASON_CHARS) });
      }
      for (const counter of [counters, countersOf(rule)]) {
        counter.fired -= 1;
        add(counter.skipped, 'error');
      }
    },
    logError(what, reason, at, rule) {
      const why = { code: 'error' as const, reason: shortened(reason, MAX_REASON_CHARS) };
      keep([{ verdict: 'skip', ...why, ...(rule !== undefined && { rule }), at, eventId: '?', event: what, depth: 0 }]);
    },
    summary() {
      const { events, fired, skipped } = counters;
      return `${plural(events, 'event')}; rules fired ${plural(fired, 'time')}; skipped: ${describeCounts(skipped) || 'none'}`;
    },
    list: (eventId) => (eventId === undefined ? log : log.filter((entry) => entry.eventId === eventId)),
  };

  /** A storm of copies of one event is one entry with a count: it must not push every other verdict out of the log. */
  function countCopy({ about, at }: Judged): boolean {
    const index = log.findLastIndex((entry) => entry.eventId === about.id && isCopy(entry));
    const [known] = index < 0 ? [] : log.splice(index, 1);
    if (!known) return false;
    // At the end again, so that the log stays ordered by time.
    log.push({ ...known, at, times: (known.times ?? 1) + 1 });
    return true;
  }

  function keep(entries: LoggedVerdict[]): void {
    log.push(...entries);
    log = lastWholeEvents(log, KEPT_VERDICTS);
  }

  /** Counts events, not actions: a rule with three actions that is cooling down suppressed one event, not three. */
  function count(verdicts: Verdict[], at: number): void {
    const byRule = new Map<string | undefined, Verdict[]>();
    for (const verdict of verdicts) {
      const ofRule = byRule.get(verdict.rule);
      if (ofRule) ofRule.push(verdict);
      else byRule.set(verdict.rule, [verdict]);
    }
    for (const [rule, ofRule] of byRule) {
      const fired = ofRule.some(({ verdict }) => verdict === 'fire');
      const codes = new Set(ofRule.flatMap((verdict) => (verdict.verdict === 'skip' ? [verdict.code] : [])));
      const known = rule === undefined ? undefined : countersOf(rule);
      if (known && fired) known.lastFiredAt = at;
      for (const counter of known ? [counters, known] : [counters]) {
        if (fired) counter.fired += 1;
        for (const skipCode of codes) add(counter.skipped, skipCode);
      }
    }
  }

  function countersOf(rule: string): RuleCounters {
    const known = counters.rules.get(rule) ?? { fired: 0, skipped: {} };
    counters.rules.set(rule, known);
    return known;
  }

  function describeRules(): string {
    if (counters.rules.size === 0) return '';
    const lines = [...counters.rules].slice(0, SHOWN_RULES).map(([rule, known]) => ruleLine(rule, known));
    const more = counters.rules.size > SHOWN_RULES ? [`- … and ${counters.rules.size - SHOWN_RULES} more`] : [];
    return ['**Rules**', '', ...lines, ...more].join('\n');
  }

  function ruleLine(rule: string, { fired, skipped, lastFiredAt }: RuleCounters): string {
    const facts = [
      files.isInUse(rule) ? '' : 'not in the rules any more',
      `fired ${plural(fired, 'time')}${lastFiredAt === undefined ? '' : `, last ${utc(lastFiredAt)}`}`,
      coolingOf(rule),
      Object.keys(skipped).length === 0 ? '' : `suppressed: ${describeCounts(skipped)}`,
    ];
    return `- ${code(rule)}: ${facts.filter((fact) => fact !== '').join('; ')}`;
  }

  /** Until when the last of a rule's cooldowns lasts, and how much a digest will tell of in the end. */
  function coolingOf(rule: string): string {
    const live = [...cooldowns.values()].filter((cooldown) => cooldown.rule === rule);
    if (live.length === 0) return '';
    // The one that lasts longest, and for whom: another session may fire it all the while.
    const last = live.reduce((longest, one) => (one.untilAt > longest.untilAt ? one : longest));
    const whose = last.label === undefined ? '' : ` for ${code(last.label)}`;
    const others = live.length > 1 ? ` and ${live.length - 1} more` : '';
    const toTell = live.reduce((sum, { suppressed }) => sum + (suppressed?.events ?? 0), 0);
    const digest = toTell > 0 ? `, then a digest of ${plural(toTell, 'event')}` : '';
    return `**cooling until ${utc(last.untilAt)}**${whose}${others}${digest}`;
  }
}

/**
 * The verdicts on one event as people are told of them. A fire names its remediation before that is started: whoever asks why
 * meanwhile is told where to look.
 */
export function loggedOf(tenant: string, { verdicts, about, at, missed, fires }: Judged): LoggedVerdict[] {
  const { id: eventId, event, session, tool, task, depth } = about;
  const place = {
    ...(session !== undefined && { session }),
    ...(tool !== undefined && { tool }),
    ...(task !== undefined && { task }),
  };
  return verdicts.map((verdict, index): LoggedVerdict => {
    const fire = verdict.verdict === 'fire' && fires.find(({ rule }) => rule === verdict.rule);
    const said =
      verdict.verdict === 'fire' ? verdict : { ...verdict, reason: shortened(verdict.reason, MAX_REASON_CHARS) };
    return {
      ...{ ...said, at, eventId, event, ...place, depth },
      ...(fire && { remediation: remediationId(tenant, fire.rule, fire.event.id) }),
      ...(index === 0 && missed.length > 0 && { missed }),
    };
  });
}

function describeCounts(counts: Partial<Record<SkipCode, number>>): string {
  return Object.entries(counts)
    .map(([skipCode, times]) => `${times} ${skipCode}`)
    .join(', ');
}

/** The last ones, and what else was said then of the event that the first of them is about: half of an answer misleads. */
function lastWholeEvents(verdicts: LoggedVerdict[], count: number): LoggedVerdict[] {
  let from = Math.max(0, verdicts.length - count);
  const earliest = Math.max(0, from - MAX_VERDICTS_OF_EVENT);
  while (from > earliest && isOfSameEvent(verdicts[from - 1], verdicts[from])) from -= 1;
  return from === 0 ? verdicts : verdicts.slice(from);
}

/** A storm of what names no event is not one event. */
function isOfSameEvent(one: LoggedVerdict | undefined, other: LoggedVerdict | undefined): boolean {
  return one !== undefined && one.eventId !== '?' && one.eventId === other?.eventId && one.at === other.at;
}

function add(counts: Partial<Record<SkipCode, number>>, code: SkipCode): void {
  counts[code] = (counts[code] ?? 0) + 1;
}
