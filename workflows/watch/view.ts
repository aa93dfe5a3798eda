import { setCurrentDetails } from '@temporalio/workflow';
import { code, utc } from '#contract/text/markdown.js';
import { meshCommand, tenantOptions } from '#contract/text/shell-word.js';
import { plural } from '#contract/text/words.js';
import type { Judgement } from '#contract/views/verdicts.js';
import type { JudgementQuery, WatchStatus } from '#contract/watch.js';
import { hasSeen } from '#rules/guards/seen.js';
import { eventIdOf } from './inbox.js';
import { rowsOf } from './ledgers/index.js';
import type { StatusPart } from './ledgers/ledger.js';
import type { Watch } from './open-watch.js';

type Seen = Pick<Watch, 'tenant' | 'ledgers' | 'inbox'>;

/** Answers the `status` query. */
export function statusOf({ tenant, ledgers, inbox }: Seen, historyEvents: number): WatchStatus {
  const { hold, runs } = ledgers.standing;
  const parts: StatusPart[] = rowsOf(ledgers).map(([, ledger]) => ledger.show?.() ?? {});
  const held = hold ? { events: inbox.size(), sinceAt: hold.sinceAt, problems: hold.problems } : null;
  return { ...sumOf(parts), tenant, held, history: { events: historyEvents, runs } };
}

/** Two ledgers may each tell half of one part, such as what they have dropped. */
function sumOf(parts: StatusPart[]): WatchStatus {
  const whole: Record<string, unknown> = {};
  for (const [name, value] of parts.flatMap((part) => Object.entries(part))) {
    const known = whole[name];
    whole[name] = isObject(known) && isObject(value) ? { ...known, ...value } : value;
  }
  return whole as unknown as WatchStatus;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Answers the `judgement` query: the verdicts on one event, or why there are none. */
export function judgementOf({ ledgers, inbox }: Seen, query: JudgementQuery | undefined): Judgement {
  const eventId = query?.eventId ?? '';
  const verdicts = ledgers.verdicts.list(eventId);
  if (verdicts.length > 0) return { state: 'judged', verdicts };
  const isWaiting = inbox.items().some((item) => item.kind === 'event' && eventIdOf(item.event) === eventId);
  if (isWaiting) return { state: 'waiting', verdicts };
  return { state: hasSeen(ledgers.guards, eventId) ? 'forgotten' : 'unknown', verdicts };
}

/** What an operator sees on top of the watch in the Temporal UI. */
export function showDetails(watch: Seen): void {
  setCurrentDetails(renderDetails(watch));
}

/** In Markdown. */
export function renderDetails(watch: Seen): string {
  const parts = rowsOf(watch.ledgers).map(([, ledger]) => ledger.details?.() ?? '');
  return [headline(watch), ...parts, howToAct(watch)].filter((part) => part !== '').join('\n\n');
}

function headline({ tenant, ledgers, inbox }: Seen): string {
  const { pause, hold } = ledgers.standing;
  if (pause) {
    const reason = pause.reason ? `: ${code(pause.reason)}` : '';
    return `### Paused since ${utc(pause.sinceAt)}${reason}\n\nEvery event is skipped until somebody resumes.`;
  }
  if (hold) {
    const lines = hold.problems.map((problem) => `- ${code(problem)}`).join('\n');
    return `### Holding ${plural(inbox.size(), 'event')} since ${utc(hold.sinceAt)}\n\nThe rules cannot be read; nothing is lost, judging goes on once they can:\n\n${lines}`;
  }
  return `### Watching tenant ${code(tenant)}\n\n${ledgers.verdicts.summary()}`;
}

/** Here and not in the static details, which do not survive continue-as-new. */
function howToAct({ tenant, ledgers }: Seen): string {
  const command = (name: string, words: string[] = []) => code(meshCommand(name, words, tenantOptions(tenant)));
  const signal = '*Send a Signal* above';
  return [
    '**To act**',
    '',
    ledgers.standing.pause
      ? `- Go on: ${command('resume')}, or ${signal}: \`resume\``
      : `- Skip every event until resumed: ${command('pause')}, or ${signal}: \`pause\` with \`{"reason": "…"}\``,
    `- Let a rule fire again now: ${command('rearm', ['RULE'])}, or ${signal}: \`rearm\` with \`{"rule": "RULE"}\``,
    `- Ask why an event did nothing: ${command('why', ['EVENT'])}`,
    '- Abort what fired: it has a run of its own, `remediation/<tenant>/<rule>/<event id>`; cancel that',
  ].join('\n');
}
