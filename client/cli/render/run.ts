import { visible, visibleLines } from '#contract/text/plain-text.js';
import { factsOf } from '#contract/facts.js';
import type { Story } from '#contract/views/story.js';
import type { RemediationDetail } from '#contract/views/remediation.js';
import { cutFor } from '../terminal/cut-for.js';
import type { Paint, Screen } from '../terminal/screen.js';
import { type Cell, renderTable } from '../terminal/table.js';
import { moment } from '../terminal/times.js';
import { lastLines, partsOf } from './action-parts.js';
import { indent, renderFacts, renderSections } from './facts.js';
import {
  ABORT_WAITS,
  didOf,
  nextSteps,
  otherRetriedLines,
  paintOutcome,
  retriedLines,
  saidBy,
  stateWords,
  tookOf,
  whyCommand,
} from './remediation-lines.js';

const SHOWN_PAYLOAD_LINES = 20;
const SHOWN_PAYLOAD_CHARS = 2_000;
const SHORT_DETAIL_CHARS = 120;

/** One remediation, whole: what it answers, what each action has come to, what can be done about it. */
export function renderRun(detail: RemediationDetail, isPayloadWhole: boolean, now: number, screen: Screen): string {
  const { paint } = screen;
  const { story } = detail;
  return renderSections([
    `Remediation of rule ${paint.bold(visible(detail.rule))}${byHand(detail)}: ${paintOutcome(detail.outcome, paint)(detail.outcome)}`,
    renderFacts(whatIsKnown(detail, now, screen)),
    actionTable(story, screen),
    ...partsOfActions(story, detail, now, screen),
    otherRetriedLines(story, now, screen),
    nextLines(detail, story),
    payloadLines(detail, isPayloadWhole, paint),
  ]);
}

function byHand({ isTry }: RemediationDetail): string {
  return isTry ? ', started by hand' : '';
}

function whatIsKnown(detail: RemediationDetail, now: number, screen: Screen): [string, string | undefined][] {
  const { reported } = detail;
  const { error, tool } = factsOf(reported);
  const known = (text: string | undefined) => (text === undefined ? undefined : visible(text));
  return [
    ['Event', `${reported.event} ${reported.outcome}, id ${reported.id}`],
    ['Tool', known(tool)],
    ['Error', error === undefined ? undefined : cutFor(screen, error, 300)],
    ['Session', known(reported.session)],
    [
      'Reported by',
      known([reported.source, reported.agent].filter((part) => part !== undefined).join(', ') || undefined),
    ],
    ['Happened', moment(reported.occurredAt, now)],
    ['Chain', reported.depth === 0 ? undefined : `depth ${reported.depth}${chainOf(detail)}`],
    ['Request', known(reported.requestId)],
    ['Started', moment(detail.startedAt, now)],
    ['Ended', detail.closedAt === undefined ? undefined : moment(detail.closedAt, now)],
    [detail.outcome === 'running' ? 'Runs for' : 'Took', tookOf(detail, now)],
    ['Rules', `version ${detail.rulesetHash}`],
    ['Id', visible(detail.id)],
    ['Run', detail.runId],
  ];
}

function chainOf({ reported: { lineage } }: RemediationDetail): string {
  if (lineage?.root === undefined) return '';
  const parent = lineage.parent === undefined ? '' : `, caused by ${visible(lineage.parent)}`;
  return `, began with event ${visible(lineage.root)}${parent}`;
}

function actionTable({ actions }: Story, screen: Screen): string {
  const rows = actions.map((action): Cell[] => {
    const { name, attempts } = action;
    const did = didOf(action);
    const said = saidBy(action, screen, isLong(did) ? 'see below' : did);
    const state = { text: stateWords(action), paint: paintOutcome(action.state, screen.paint) };
    return [name, state, attempts === undefined ? '-' : String(attempts), said === '' ? '-' : said];
  });
  const columns = [
    { title: 'ACTION', min: 10, keep: 2 },
    { title: 'STATUS' },
    { title: 'ATTEMPTS', align: 'right' as const },
    { title: 'WHAT IT CAME TO', min: 20, keep: 1, maxLines: 8 },
  ];
  return renderTable(columns, rows, screen);
}

/** What is too long for the table: launchers, agents and deliveries, what is tried again, and what agents wrote. */
function partsOfActions({ actions }: Story, detail: RemediationDetail, now: number, screen: Screen): string[][] {
  return actions.flatMap((action) => {
    const did = didOf(action);
    const parts = [
      ...retriedLines(action.retrying, now, screen),
      ...partsOf(action, detail.actions, now, screen),
      ...(isLong(did) ? lastLines(did, screen.paint) : []),
    ];
    return parts.length === 0 ? [] : [[`${visible(action.name)}:`, ...indent(parts)]];
  });
}

function isLong(detail: string): boolean {
  return detail.length > SHORT_DETAIL_CHARS || /[\r\n]/.test(detail.trim());
}

function nextLines(detail: RemediationDetail, story: Story): string[] {
  // Of what was started by hand no watch can tell why.
  const why = detail.isTry ? [] : [{ command: whyCommand(detail), effect: 'why it fired' }];
  const steps = [...nextSteps(detail.id, story), ...why];
  const unknown = detail.progress
    ? []
    : ['What its actions have come to is not known: no worker answers, or it was terminated.'];
  const said = [...unknown, ...abortLines(detail)];
  if (steps.length === 0) return said;
  return [...said, 'Next:', ...indent(steps.map(({ command, effect }) => `${command}   (${effect})`))];
}

function abortLines({ isAborting, progress }: RemediationDetail): string[] {
  if (!isAborting) return [];
  return [progress ? 'It is being aborted.' : ABORT_WAITS];
}

function payloadLines({ reported }: RemediationDetail, isWhole: boolean, paint: Paint): string[] {
  const text = JSON.stringify(reported.payload, null, 2);
  const heading = `Payload${reported.truncated ? ' (long texts were cut when it was reported)' : ''}:`;
  const lines = visibleLines(isWhole ? text : text.slice(0, SHOWN_PAYLOAD_CHARS));
  const shown = isWhole ? lines : lines.slice(0, SHOWN_PAYLOAD_LINES);
  const isCut = shown.length < lines.length || (!isWhole && text.length > SHOWN_PAYLOAD_CHARS);
  return [
    heading,
    ...indent(shown),
    ...(isCut ? [paint.dim(`  … cut; --payload shows all ${text.length} characters`)] : []),
  ];
}
