import type { LoggedVerdict, SkipCode } from '../contract/verdict.js';
import type { RuleCounters } from '../contract/watch.js';
import { code, utc } from '../contract/markdown.js';
import { listAgents } from '../rules/guards/known-agents.js';
import type { Hold } from './hold.js';
import type { WatchState } from './watch-state.js';

const SHOWN_RULES = 30;
const SHOWN_VERDICTS = 10;
const SHOWN_CHAINS = 5;
const SHOWN_INCIDENTS = 10;

/** What an operator sees on top of the watch in the Temporal UI, in Markdown. */
export function renderWatchDetails(state: WatchState, hold: Hold | undefined, waiting: number): string {
  return [
    headline(state, hold, waiting),
    rulesetLines(state),
    rulesList(state),
    lastVerdicts(state),
    chainsList(state),
    incidentsList(state),
    `Windows armed: ${state.memory.cooldowns.size} cooldown, ${state.memory.dedups.size} dedup` +
      (state.evicted > 0 ? `; **${state.evicted} dropped early** because the state grew too large` : ''),
    HOW_TO_ACT,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Here and not in the static details, which do not survive continue-as-new. */
const HOW_TO_ACT = [
  '**To act**, send a signal (*Send a Signal* above, or `temporal workflow signal`):',
  '',
  '- `pause` with `{"reason": "…"}`: skip every event until `resume`',
  '- `rearm` with `{"rule": "<id>"}`: end the cooldown and dedup windows of a rule now; `{}` for all rules',
  '',
  'What fired has a run of its own, `remediation/<tenant>/<rule>/<event>`; cancel it to abort. Queries: `status`, `verdicts`.',
].join('\n');

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
  return `### Watching tenant ${code(state.tenant)}\n${events} events; rules fired ${fired} times; skipped: ${describeCounts(skipped) || 'none'}`;
}

function rulesetLines(state: WatchState): string {
  if (!state.ruleset) return '';
  const { hash, source, problems } = state.ruleset;
  const line = `Rules: ${code(source)} (version ${code(hash)})`;
  if (problems.length === 0) return line;
  return `${line}\n\n**The file has changed and has mistakes. The last good version stays in use:**\n${problems.map((problem) => `- ${code(problem)}`).join('\n')}`;
}

function rulesList(state: WatchState): string {
  const rules = [...state.counters.rules];
  if (rules.length === 0) return '';
  const cooling = new Map<string, number>();
  for (const { rule, untilAt } of state.memory.cooldowns.values()) {
    cooling.set(rule, Math.max(untilAt, cooling.get(rule) ?? 0));
  }
  const lines = rules.slice(0, SHOWN_RULES).map(([rule, counters]) => ruleLine(rule, counters, cooling.get(rule)));
  const more = rules.length > SHOWN_RULES ? [`- … and ${rules.length - SHOWN_RULES} more`] : [];
  return ['**Rules**', '', ...lines, ...more].join('\n');
}

function ruleLine(rule: string, { fired, skipped, lastFiredAt }: RuleCounters, untilAt: number | undefined): string {
  const facts = [
    `fired ${fired} times${lastFiredAt === undefined ? '' : `, last ${utc(lastFiredAt)}`}`,
    untilAt === undefined ? '' : `**cooling until ${utc(untilAt)}**`,
    Object.keys(skipped).length === 0 ? '' : `suppressed: ${describeCounts(skipped)}`,
  ];
  return `- ${code(rule)}: ${facts.filter((fact) => fact !== '').join('; ')}`;
}

function describeCounts(counts: Partial<Record<SkipCode, number>>): string {
  return Object.entries(counts)
    .map(([skipCode, count]) => `${count} ${skipCode}`)
    .join(', ');
}

function lastVerdicts(state: WatchState): string {
  if (state.verdicts.length === 0) return '';
  const latest = state.verdicts.at(-1)?.at ?? 0;
  const groups = new Map<string, LoggedVerdict[]>();
  for (const verdict of state.verdicts.slice(-SHOWN_VERDICTS)) {
    const key = `${verdict.at} ${verdict.eventId}`;
    groups.set(key, [...(groups.get(key) ?? []), verdict]);
  }
  const lines = [...groups.values()].reverse().map((verdicts) => verdictLine(verdicts, latest));
  return ['**Last verdicts** (UTC, newest first)', '', ...lines].join('\n');
}

function verdictLine(verdicts: LoggedVerdict[], latest: number): string {
  const [{ at, event, eventId } = { at: 0, event: '', eventId: '' }] = verdicts;
  const said = new Map<string, string[]>();
  for (const verdict of verdicts) {
    const says = verdict.verdict === 'fire' ? '**fire**' : `${verdict.code} ${code(verdict.reason.slice(0, 160))}`;
    const times = verdict.times === undefined ? '' : ` (${verdict.times} times)`;
    const key = verdict.rule === undefined ? says + times : `${says} ${code(verdict.rule)}`;
    said.set(key, [...(said.get(key) ?? []), ...(verdict.action === undefined ? [] : [code(verdict.action)])]);
  }
  const parts = [...said].map(([says, actions]) => (actions.length === 0 ? says : `${says} ${actions.join(', ')}`));
  return `- ${momentOf(at, latest)} ${code(event)} ${code(eventId)}: ${parts.join('; ')}`;
}

/** The time alone for what happened on the day of the latest verdict. */
function momentOf(at: number, latest: number): string {
  const isSameDay = utc(at).slice(0, 10) === utc(latest).slice(0, 10);
  return isSameDay ? utc(at).slice(11, 19) : utc(at).slice(0, 19);
}

/** Those that led to the most agents: who looks for what runs away looks here. */
function chainsList({ memory }: WatchState): string {
  const chains = [...memory.chains.values()].filter(({ spawns = 0 }) => spawns > 0);
  if (chains.length === 0) return '';
  const known = listAgents(memory.agents);
  const awaited = known.filter(({ isAwaited }) => isAwaited).length;
  const lines = chains
    .sort((one, other) => (other.spawns ?? 0) - (one.spawns ?? 0) || other.lastAt - one.lastAt)
    .slice(0, SHOWN_CHAINS)
    .map(
      ({ root, spawns = 0, remediations, deepest, lastAt }) =>
        `- ${code(root)}: ${spawns} agents, ${remediations} remediations, down to depth ${deepest}, last ${utc(lastAt)}`,
    );
  return [
    '**First events that led to the most agents** (within a day)',
    '',
    ...lines,
    '',
    `Agents that may still report: ${known.length}, of which ${awaited} are waited for`,
  ].join('\n');
}

function incidentsList({ incidents }: WatchState): string {
  if (incidents.length === 0) return '';
  const lines = incidents.slice(-SHOWN_INCIDENTS).map(({ rule, team, channel, openedAt, resolveOn, task, tool }) => {
    const names = { task, tool };
    const subjects = resolveOn.flatMap((what) => {
      const name = names[what];
      return name === undefined ? [] : [`${what} ${code(name)}`];
    });
    return `- ${code(rule)} at ${code(`${team}/${channel}`)} since ${utc(openedAt)}, until ${subjects.join(' or ') || '?'} succeeds`;
  });
  const more = incidents.length > SHOWN_INCIDENTS ? [`- … and ${incidents.length - SHOWN_INCIDENTS} more`] : [];
  return ['**Open incidents**', '', ...lines.reverse(), ...more].join('\n');
}
