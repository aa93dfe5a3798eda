import { describeDropped, type WatchStatus } from '#contract/watch.js';
import { visible } from '#contract/text/plain-text.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';
import type { DeadRemediation } from '#contract/views/dead.js';
import type { LeasePage } from '#contract/views/lease.js';
import type { RemediationSummary } from '#contract/views/remediation.js';
import { knownRules } from '../../known-rules.js';
import { tenantOptions } from '../tenant-option.js';
import type { Paint, Screen } from '../terminal/screen.js';
import { meshCommand } from '../terminal/shell-word.js';
import { clock, relative } from '../terminal/times.js';
import { indent, plural, renderFacts, renderSections } from './facts.js';
import { retriedLines } from './remediation-lines.js';
import { renderLastEvents } from './last-events.js';
import { describeCounts, renderRuleTable } from './rule-table.js';
import { renderTrouble } from './trouble.js';
import { quoted } from '#contract/text/words.js';
import { type Cell, renderTable } from '../terminal/table.js';

export interface StatusFacts {
  status: WatchStatus;
  /** The last verdicts of the tenant, oldest first. */
  log: LoggedVerdict[];
  /** Newest first, as many as are worth showing; `more` when there are others. */
  running: { remediations: RemediationSummary[]; more: boolean };
  /** Those that began lately. */
  failed: { remediations: RemediationSummary[]; more: boolean };
  leases: LeasePage;
  /** What else ended badly lately: messages of the mesh itself, and leases. */
  gaveUp: { dead: DeadRemediation[]; more: boolean };
}

export const LATELY_MS = 86_400_000;

/** How a tenant stands: what is in force, what fired, what is quiet and until when. */
export function renderStatus(facts: StatusFacts, now: number, screen: Screen): string {
  const { status, log } = facts;
  const { paint } = screen;
  return renderSections([
    [headline(status, now, paint), ...renderTrouble(status, now, paint)],
    renderFacts([
      ['Rules', rulesFile(status)],
      ['Events', totals(status)],
      ['Windows', windows(status, paint)],
      ['Dropped', dropped(status, paint)],
      ['Remediations', remediations(facts, now, paint)],
      ['Also failed', alsoFailed(facts, now, paint)],
      ['Leases', leaseLines(facts.leases, now, screen)],
    ]),
    renderOpenAlerts(status, now, screen),
    renderRuleTable(status, knownRules(status, log), now, screen),
    renderLastEvents(log, now, screen),
  ]);
}

function headline({ tenant, paused, held }: WatchStatus, now: number, paint: Paint): string {
  const name = `Tenant ${paint.bold(tenant)}`;
  if (paused) {
    const reason = paused.reason === undefined ? '' : `: ${visible(paused.reason)}`;
    return `${name}: ${paint.yellow('paused')} since ${clock(paused.sinceAt, now)}, ${relative(paused.sinceAt, now)}${reason}`;
  }
  if (held) {
    const since = `since ${clock(held.sinceAt, now)}, ${relative(held.sinceAt, now)}`;
    return `${name}: ${paint.red(`holding ${plural(held.events, 'event')}`)} ${since}`;
  }
  return `${name}: watching`;
}

function rulesFile({ ruleset }: WatchStatus): string {
  return ruleset ? `${visible(ruleset.source)}, version ${ruleset.hash}` : 'not read yet: no event was judged';
}

function totals({ counters: { events, fired, skipped } }: WatchStatus): string {
  const counts = describeCounts(skipped);
  return `${events}; rules fired ${fired === 1 ? 'once' : `${fired} times`}${counts === '' ? '' : `; skipped: ${counts}`}`;
}

function windows({ guards: { live, evicted } }: WatchStatus, paint: Paint): string[] {
  const armed = `${live.cooldowns} cooldown, ${live.dedups} dedup armed`;
  if (evicted === 0) return [armed];
  return [armed, paint.yellow(`${evicted} dropped before their time: the state of the watch grew too large`)];
}

/** What nobody will be told because there was too much of it. */
function dropped({ dropped }: WatchStatus, paint: Paint): string[] {
  return dropped ? describeDropped(dropped).map(paint.yellow) : [];
}

function remediations({ status, running, failed }: StatusFacts, now: number, paint: Paint): string[] {
  const count = ({ remediations: { length }, more }: StatusFacts['failed']) => `${length}${more ? ' or more' : ''}`;
  const options = tenantOptions(status.tenant);
  const [last] = failed.remediations;
  return [
    running.remediations.length === 0
      ? 'none running'
      : `${count(running)} running: ${meshCommand('runs', [], ['--running', ...options])}`,
    ...(last
      ? [
          `${paint.red(`${count(failed)} failed`)} in the last 24 h, the last one ${relative(last.startedAt, now)}:` +
            ` ${meshCommand('runs', [], ['--failed', ...options])}`,
        ]
      : ['none failed in the last 24 h']),
  ];
}

/** What no list of remediations shows. */
function alsoFailed({ status, gaveUp: { dead, more } }: StatusFacts, now: number, paint: Paint): string[] {
  const [last] = dead;
  if (!last) return [];
  const leases = dead.filter(({ kind }) => kind === 'lease').length;
  const counts = [
    ...(dead.length > leases ? [plural(dead.length - leases, 'message') + ' of the mesh itself'] : []),
    ...(leases > 0 ? [plural(leases, 'lease')] : []),
  ];
  return [
    `${paint.red(counts.join(' and '))}${more ? ' or more' : ''} in the last 24 h,` +
      ` the last one ${relative(last.closedAt ?? last.startedAt, now)}:` +
      ` ${meshCommand('dead', [], tenantOptions(status.tenant))}`,
  ];
}

const SHOWN_LEASES = 5;

/** What is kept warm: which environment, since when, under which id, and what of it fails and is tried again. */
function leaseLines({ leases, more }: LeasePage, now: number, screen: Screen): string[] {
  // Those that fail first: somebody may have to do something about them.
  const failing = [...leases.filter(({ retrying }) => retrying), ...leases.filter(({ retrying }) => !retrying)];
  const lines = failing
    .slice(0, SHOWN_LEASES)
    .flatMap(({ id, environment, startedAt, retrying = [] }) => [
      `${visible(environment)} since ${clock(startedAt, now)}: ${visible(id)}`,
      ...indent(retriedLines(retrying, now, screen)),
    ]);
  const rest = leases.length - SHOWN_LEASES;
  if (rest <= 0 && !more) return lines;
  return [...lines, screen.paint.dim(`… and ${more ? 'more' : `${rest} more, see --json`}`)];
}

type Alert = NonNullable<WatchStatus['alerts']>[number];

const SHOWN_ALERTS = 5;

/** What receivers hold open, the newest first: at whom, since when, for which rule, and what ends it. */
function renderOpenAlerts({ alerts = [] }: WatchStatus, now: number, screen: Screen): string[] {
  if (alerts.length === 0) return [];
  const { paint } = screen;
  const rows = alerts
    .slice(-SHOWN_ALERTS)
    .reverse()
    .map((one): Cell[] => [
      relative(one.openedAt, now),
      one.rule,
      `${one.team}/${one.channel}`,
      { text: standingOf(one), ...(one.worksAgain && { paint: paint.green }) },
    ]);
  const table = renderTable(
    [
      { title: 'OPEN ALERTS' },
      { title: 'RULE', min: 14, keep: 2, maxLines: 2 },
      { title: 'AT', min: 10, keep: 1, maxLines: 2 },
      { title: 'HOW LONG', min: 14, maxLines: 4 },
    ],
    rows,
    screen,
  );
  const more = alerts.length - rows.length;
  return more > 0 ? [table, paint.dim(`… and ${more} more, see --json`)] : [table];
}

/** In the words of the current details of the watch. */
function standingOf({ task, tool, worksAgain, resolvedWhen }: Alert): string {
  if (worksAgain) return resolvedWhen === undefined ? 'works again' : `works again, resolved when ${resolvedWhen}`;
  return `until ${task === undefined ? `tool ${quoted(tool ?? '')}` : `task ${quoted(task)}`} succeeds`;
}
