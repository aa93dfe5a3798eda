import type { LoggedVerdict, SkipCode } from '#contract/verdict.js';
import type { RuleCounters } from '#contract/watch.js';
import { code, utc } from '#contract/text/markdown.js';
import { describeDropped } from '#contract/describe-dropped.js';
import { plural } from '#contract/text/words.js';
import { meshCommand, tenantOptions } from '#contract/text/shell-word.js';
import { listAgents } from '#rules/guards/known-agents.js';
import { push } from './push.js';
import type { WatchState } from './watch-state.js';
import { whatHolds } from './what-holds.js';

const SHOWN_RULES = 30;
const SHOWN_VERDICTS = 10;
const SHOWN_CHAINS = 5;
const SHOWN_INCIDENTS = 10;
const MAX_REASON_CHARS = 160;

/** What an operator sees on top of the watch in the Temporal UI, in Markdown. */
export function renderWatchDetails(state: WatchState, waiting: number): string {
  return [
    headline(state, waiting),
    rulesetLines(state),
    configLines(state),
    rulesList(state),
    lastVerdicts(state),
    chainsList(state),
    incidentsList(state),
    `Quiet for now: ${plural(state.memory.cooldowns.size, 'cooldown')}, ${plural(state.memory.dedups.size, 'dedup window')}` +
      (state.evicted > 0 ? `; **${state.evicted} dropped early** because the state grew too large` : ''),
    droppedLine(state),
    howToAct(state),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Here and not in the static details, which do not survive continue-as-new. */
function howToAct({ tenant, pause }: WatchState): string {
  const command = (name: string, words: string[] = []) => code(meshCommand(name, words, tenantOptions(tenant)));
  const signal = '*Send a Signal* above';
  return [
    '**To act**',
    '',
    pause
      ? `- Go on: ${command('resume')}, or ${signal}: \`resume\``
      : `- Skip every event until resumed: ${command('pause')}, or ${signal}: \`pause\` with \`{"reason": "…"}\``,
    `- Let a rule fire again now: ${command('rearm', ['RULE'])}, or ${signal}: \`rearm\` with \`{"rule": "RULE"}\``,
    `- Ask why an event did nothing: ${command('why', ['EVENT'])}`,
    '- Abort what fired: it has a run of its own, `remediation/<tenant>/<rule>/<event id>`; cancel that',
  ].join('\n');
}

function headline(state: WatchState, waiting: number): string {
  if (state.pause) {
    const reason = state.pause.reason ? `: ${code(state.pause.reason)}` : '';
    return `### Paused since ${utc(state.pause.sinceAt)}${reason}\n\nEvery event is skipped until somebody resumes.`;
  }
  if (state.hold) {
    const { sinceAt, problems } = state.hold;
    const lines = problems.map((problem) => `- ${code(problem)}`).join('\n');
    return `### Holding ${plural(waiting, 'event')} since ${utc(sinceAt)}\n\nThe rules cannot be read; nothing is lost, judging goes on once they can:\n\n${lines}`;
  }
  const { events, fired, skipped } = state.counters;
  return `### Watching tenant ${code(state.tenant)}\n\n${plural(events, 'event')}; rules fired ${plural(fired, 'time')}; skipped: ${describeCounts(skipped) || 'none'}`;
}

function rulesetLines(state: WatchState): string {
  if (!state.ruleset) return '';
  const { hash, source, problems } = state.ruleset;
  const line = `Rules are read from ${code(source)} (version ${code(hash)})`;
  if (problems.length === 0) return line;
  return `${line}\n\n**The file has changed and has mistakes. The last good version stays in use:**\n${problems.map((problem) => `- ${code(problem)}`).join('\n')}`;
}

function configLines({ configTrouble }: WatchState): string {
  if (!configTrouble) return '';
  const { source, problems, hasGoodVersion, sinceAt, seenAt } = configTrouble;
  const inUse = hasGoodVersion
    ? 'The last good version stays in use'
    : 'No version before it was good: actions wait until it is mended';
  const lines = problems.map((problem) => `- ${code(problem)}`).join('\n');
  return `**The configuration ${code(source)} cannot be used as it is. ${inUse}.** Seen first ${utc(sinceAt)}, last ${utc(seenAt)}:\n${lines}`;
}

function rulesList(state: WatchState): string {
  const rules = [...state.counters.rules];
  if (rules.length === 0) return '';
  const inUse = state.ruleset?.ruleIds && new Set(state.ruleset.ruleIds);
  const isInUse = (rule: string) => inUse?.has(rule) ?? true;
  const lines = rules
    .slice(0, SHOWN_RULES)
    .map(([rule, counters]) => ruleLine(rule, counters, coolingOf(rule, state), isInUse(rule)));
  const more = rules.length > SHOWN_RULES ? [`- … and ${rules.length - SHOWN_RULES} more`] : [];
  return ['**Rules**', '', ...lines, ...more].join('\n');
}

/** Until when the last of a rule's cooldowns lasts, and how much a digest will tell of in the end. */
function coolingOf(rule: string, { memory }: WatchState): { untilAt: number; toTell: number } | undefined {
  const live = [...memory.cooldowns.values()].filter((cooldown) => cooldown.rule === rule);
  if (live.length === 0) return undefined;
  const toTell = live.reduce((sum, { suppressed }) => sum + (suppressed?.events ?? 0), 0);
  return { untilAt: Math.max(...live.map(({ untilAt }) => untilAt)), toTell };
}

function ruleLine(
  rule: string,
  { fired, skipped, lastFiredAt }: RuleCounters,
  cooling: ReturnType<typeof coolingOf>,
  isInUse: boolean,
): string {
  const digest = cooling && cooling.toTell > 0 ? `, then a digest of ${plural(cooling.toTell, 'event')}` : '';
  const facts = [
    isInUse ? '' : 'not in the rules any more',
    `fired ${plural(fired, 'time')}${lastFiredAt === undefined ? '' : `, last ${utc(lastFiredAt)}`}`,
    cooling === undefined ? '' : `**cooling until ${utc(cooling.untilAt)}**${digest}`,
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
    push(groups, key, verdict);
  }
  const lines = [...groups.values()].reverse().map((verdicts) => verdictLine(verdicts, latest));
  return ['**Last verdicts** (UTC, newest first)', '', ...lines].join('\n');
}

function verdictLine(verdicts: LoggedVerdict[], latest: number): string {
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
        `- ${code(root)}: ${plural(spawns, 'agent')} in ${plural(remediations, 'remediation')}, down to depth ${deepest}, last ${utc(lastAt)}`,
    );
  return [
    '**Agents started, by the event that began it** (last 24 hours, most first)',
    '',
    ...lines,
    '',
    `${plural(known.length, 'agent')} may still report; a remediation waits for ${awaited} of them.`,
  ].join('\n');
}

function droppedLine({ dropped }: WatchState): string {
  const parts = describeDropped(dropped);
  return parts.length === 0 ? '' : `**Dropped** because there was too much of it: ${parts.join('; ')}`;
}

function incidentsList(state: WatchState): string {
  const incidents = [...state.incidents.values()];
  if (incidents.length === 0) return '';
  const holds = whatHolds(state);
  const lines = incidents.slice(-SHOWN_INCIDENTS).map((incident) => {
    const { rule, team, channel, openedAt, resolveOn, task, tool } = incident;
    const names = { task, tool };
    const subjects = resolveOn.flatMap((what) => {
      const name = names[what];
      return name === undefined ? [] : [`${what} ${code(name)}`];
    });
    const hold = holds.get(incident);
    const until = hold ? `works again, resolved when ${hold}` : `until ${subjects.join(' or ') || '?'} succeeds`;
    return `- ${code(rule)} at ${code(`${team}/${channel}`)} since ${utc(openedAt)}, ${until}`;
  });
  const more = incidents.length > SHOWN_INCIDENTS ? [`- … and ${incidents.length - SHOWN_INCIDENTS} more`] : [];
  return ['**Open incidents**', '', ...lines.reverse(), ...more].join('\n');
}
