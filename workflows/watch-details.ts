import type { RuleCounters } from '../contract/watch.js';
import { code, utc } from '../contract/markdown.js';
import type { Hold } from './hold.js';
import type { WatchState } from './watch-state.js';

const SHOWN_RULES = 30;
const SHOWN_VERDICTS = 10;

/** What an operator sees on top of the watch in the Temporal UI, in Markdown. */
export function renderWatchDetails(state: WatchState, hold: Hold | undefined, waiting: number): string {
  return [
    headline(state, hold, waiting),
    rulesetLines(state),
    rulesTable(state),
    lastVerdicts(state),
    `Windows armed: ${state.memory.cooldowns.size} cooldown, ${state.memory.dedups.size} dedup` +
      (state.evicted > 0 ? `; **${state.evicted} dropped early** because the state grew too large` : ''),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function headline(state: WatchState, hold: Hold | undefined, waiting: number): string {
  if (state.pause) {
    const reason = state.pause.reason ? `: ${code(state.pause.reason)}` : '';
    return `### Paused since ${utc(state.pause.sinceAt)}${reason}\nEvery event is skipped until the signal \`resume\`.`;
  }
  if (hold) {
    const problems = hold.problems.map((problem) => `- ${code(problem)}`).join('\n');
    return `### Holding ${waiting} events since ${utc(hold.sinceAt)}\nThe rules cannot be read; nothing is lost, judging goes on once they can:\n${problems}`;
  }
  const { events, fired, skipped } = state.counters;
  const skips = Object.entries(skipped).map(([skipCode, count]) => `${count} ${skipCode}`);
  return `### Watching tenant ${code(state.tenant)}\n${events} events; rules fired ${fired} times; skipped: ${skips.join(', ') || 'none'}`;
}

function rulesetLines(state: WatchState): string {
  if (!state.ruleset) return '';
  const { hash, source, problems } = state.ruleset;
  const line = `Rules: ${code(source)} (version ${code(hash)})`;
  if (problems.length === 0) return line;
  return `${line}\n\n**The file has changed and has mistakes. The last good version stays in use:**\n${problems.map((problem) => `- ${code(problem)}`).join('\n')}`;
}

function rulesTable(state: WatchState): string {
  const rules = [...state.counters.rules];
  if (rules.length === 0) return '';
  const cooling = new Map<string, number>();
  for (const { rule, untilAt } of state.memory.cooldowns.values()) {
    cooling.set(rule, Math.max(untilAt, cooling.get(rule) ?? 0));
  }
  const rows = rules.slice(0, SHOWN_RULES).map(([rule, counters]) => ruleRow(rule, counters, cooling.get(rule)));
  const more = rules.length > SHOWN_RULES ? [`| … and ${rules.length - SHOWN_RULES} more | | | | |`] : [];
  return ['| rule | fired | last fired | suppressed | cooling until |', '|---|---|---|---|---|', ...rows, ...more].join(
    '\n',
  );
}

function ruleRow(rule: string, { fired, skipped, lastFiredAt }: RuleCounters, untilAt: number | undefined): string {
  const suppressed = Object.entries(skipped).map(([skipCode, count]) => `${count} ${skipCode}`);
  const cells = [
    code(rule),
    String(fired),
    lastFiredAt === undefined ? '–' : utc(lastFiredAt),
    suppressed.join(', ') || '–',
    untilAt === undefined ? '–' : utc(untilAt),
  ];
  return `| ${cells.join(' | ')} |`;
}

function lastVerdicts(state: WatchState): string {
  if (state.verdicts.length === 0) return '';
  const rows = state.verdicts
    .slice(-SHOWN_VERDICTS)
    .reverse()
    .map((entry) => {
      const what = entry.rule === undefined ? 'whole event' : `${entry.rule} / ${entry.action}`;
      const verdict = entry.verdict === 'fire' ? '**fire**' : `${entry.code}: ${code(entry.reason.slice(0, 160))}`;
      return `| ${utc(entry.at)} | ${code(entry.event)} ${code(entry.eventId)} | ${code(what)} | ${verdict} |`;
    });
  return ['Last verdicts', '', '| when | event | rule / action | verdict |', '|---|---|---|---|', ...rows].join('\n');
}
