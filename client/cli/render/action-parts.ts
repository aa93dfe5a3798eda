import type { DeliveryRecord, Launch } from '#contract/remediation.js';
import { AGENT_WORDS, DELIVERY_WORDS, isThrough, worstFirst } from '#contract/story-words.js';
import type { ActionStory, AgentStory } from '#contract/views/story.js';
import { visible, visibleLines } from '#contract/text/plain-text.js';
import type { RemediationDetail } from '#contract/views/remediation.js';
import { cutFor } from '../terminal/cut-for.js';
import type { Paint, Screen } from '../terminal/screen.js';
import { clock } from '../terminal/times.js';
import { triesOf } from './remediation-lines.js';

const SHOWN_DELIVERIES = 20;
const SHOWN_OUTPUT_LINES = 12;
const REASON_CHARS = 200;
/** They are short in the record, and their end says most. */
const WORDS_CHARS = 400;

/** What an action consists of, a line each: launchers that were tried, its agent, its deliveries, what it wrote. */
export function partsOf(
  action: ActionStory,
  plans: RemediationDetail['actions'],
  now: number,
  screen: Screen,
): string[] {
  const { launches, agent, deliveries, detail = '' } = action;
  const isPlain = launches.length === 1 && launches[0]?.status === 'launched';
  return [
    ...defaultLauncherLines(action, plans),
    ...(isPlain ? [] : launches.map((launch) => launchLine(launch, screen))),
    ...(agent ? agentLines(agent, detail, now, screen.paint) : []),
    ...deliveryLines(deliveries, screen),
  ];
}

/** The end of a text of many lines. */
export function lastLines(text: string, paint: Paint): string[] {
  const lines = visibleLines(text.trim());
  const before = lines.length - SHOWN_OUTPUT_LINES;
  return [...(before > 0 ? [paint.dim(`… ${before} lines before`)] : []), ...lines.slice(-SHOWN_OUTPUT_LINES)];
}

const DEFAULT = 'default';

/**
 * That another launcher was taken than the rule asks for: most often its agent type is misspelt. The record has launchers only.
 * One of the agent type itself would have been tried first, so `default` as the first means that there was none.
 */
function defaultLauncherLines({ name, launches, agent }: ActionStory, plans: RemediationDetail['actions']): string[] {
  const plan = plans.find((one) => one.name === name);
  const wanted = plan?.type === 'spawn_fallback_agent' ? plan.agentType : undefined;
  const first = launches[0]?.launcher ?? agent?.launcher;
  if (wanted === undefined || wanted === DEFAULT || first !== DEFAULT) return [];
  return [`launcher ${DEFAULT} was taken, since mesh.yaml had none for ${visible(wanted)}`];
}

function launchLine({ launcher, status, reason, attempts, lastWords }: Launch, screen: Screen): string {
  const state = status === 'failed' ? screen.paint.red(status) : status;
  const said = lastWords === undefined ? '' : `; said at the end: ${cutFor(screen, lastWords, WORDS_CHARS)}`;
  return `launcher ${visible(launcher)}: ${state}${triesOf(attempts)}${because(reason, screen)}${said}`;
}

function agentLines(agent: AgentStory, detail: string, now: number, paint: Paint): string[] {
  const { launcher, id, session, outputTail = '' } = agent;
  const who = [`agent${id === undefined ? '' : ` ${visible(id)}`} of launcher ${visible(launcher)}`];
  if (session !== undefined) who.push(`session ${visible(session)}`);
  const tail = outputTail.trim();
  // Nothing is shown twice: the detail may hold the end of what a program wrote.
  const said = tail === '' || detail.includes(tail) ? [] : ['it said at the end:', ...lastLines(tail, paint)];
  return [`${who.join(', ')}: ${standing(agent, now)}`, ...said];
}

function standing({ stands, atWork }: AgentStory, now: number): string {
  if (!atWork) return AGENT_WORDS[stands];
  return `${AGENT_WORDS[stands]} since ${clock(atWork.sinceAt, now)}, until ${clock(atWork.untilAt, now)} at most`;
}

/** Of many, those that went wrong first: they are what somebody must look at. */
function deliveryLines(deliveries: DeliveryRecord[], screen: Screen): string[] {
  const { paint } = screen;
  const ordered = worstFirst(deliveries);
  const lines = ordered.slice(0, SHOWN_DELIVERIES).map(({ delivery, status, attempts, error }) => {
    const state = inColour(status, screen);
    const before = error !== undefined && isThrough(status) ? ', before that' : '';
    return `${visible(delivery)}: ${state}${triesOf(attempts)}${before}${because(error, screen)}`;
  });
  const more = ordered.length - lines.length;
  return more > 0 ? [...lines, paint.dim(`… and ${more} more, see --json`)] : lines;
}

function inColour(status: DeliveryRecord['status'], { paint }: Screen): string {
  const words = DELIVERY_WORDS[status];
  if (status === 'skipped' || status === 'written') return paint.yellow(words);
  return status === 'delivered' ? paint.green(words) : paint.red(words);
}

function because(reason: string | undefined, screen: Screen): string {
  return reason === undefined ? '' : `: ${cutFor(screen, reason, REASON_CHARS)}`;
}
