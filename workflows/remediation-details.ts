import type { ActionPlan } from '#contract/actions/index.js';
import type { ActionStatus, RemediationInput, RemediationProgress } from '#contract/remediation.js';
import { wordsOfCondition } from '#contract/runs-only-if.js';
import { keptUntil, wordsOfDoing, wordsOfWhy } from '#contract/story-words.js';
import { storyOf } from '#contract/story.js';
import type { ActionStory, QuietWindow, Story } from '#contract/views/story.js';
import { duration } from '#contract/text/duration.js';
import { code, codeLine, utc } from '#contract/text/markdown.js';
import { meshCommand } from '#contract/text/shell-word.js';
import { plural } from '#contract/text/words.js';
import { describeParts } from './action-parts.js';

/**
 * What an operator sees beside a remediation in the Temporal UI, in a narrow column: each action, and what happens next. The UI
 * puts the items of a list within a list on one line, so there is none.
 */
export function renderRemediationDetails(input: RemediationInput, { actions }: RemediationProgress): string {
  const story = storyOf({ remediation: input, actions });
  return [`### ${headline(story)}`, ...story.actions.map(describeAction), next(input, story)].join('\n\n');
}

const HEADLINES: Record<ActionStatus, string> = {
  executed: 'Done: every action that was due has run',
  skipped: 'Done: no action had anything to do',
  failed: 'Failed: at least one action gave up',
  aborted: 'Aborted by an operator',
};

function headline({ outcome, actions, next: { running, toCome } }: Story): string {
  const open = running.length + toCome.length;
  if (open > 0) return `Running: ${actions.length - open} of ${plural(actions.length, 'action')} done`;
  const hasFailed = outcome === 'aborted' && actions.some(({ state }) => state === 'failed');
  return `${HEADLINES[outcome as ActionStatus]}${hasFailed ? ', after an action had given up' : ''}`;
}

function describeAction(action: ActionStory): string {
  const { name, type } = action;
  const who = name.startsWith(type) ? `**${code(name)}**` : `**${code(name)}** (${type})`;
  const what = describeState(action);
  const [line, ...more] = linesOf(action);
  if (line === undefined) return `${who}: ${what}`;
  if (more.length === 0) return `${who}: ${what}: ${line}`;
  return `${who}: ${what}\n\n${[line, ...more].map((part) => `- ${part}`).join('\n')}`;
}

function describeState({ state, sinceAt, attempts = 0, launches, ...action }: ActionStory): string {
  if (state === 'waiting') return `waiting${whenItStarts(action)}`;
  if (state === 'running') return `**running**${sinceAt === undefined ? '' : ` since ${utc(sinceAt)}`}`;
  return attempts > 1 && launches.length < 2 ? `**${state}** after ${attempts} attempts` : `**${state}**`;
}

function whenItStarts({ onlyIf, starts }: Pick<ActionStory, 'onlyIf' | 'starts'>): string {
  if (onlyIf) return `; runs ${wordsOfCondition(onlyIf, code)}`;
  if (!starts) return '';
  const { after, needs, patienceMs } = starts;
  const ready = needs === 'agent' ? `the agent of ${code(after)} has started` : `${code(after)} is done`;
  return `; starts when ${ready}${patienceMs === undefined ? '' : `, or after ${duration(patienceMs)}`}`;
}

function linesOf(action: ActionStory): string[] {
  const { state, doing, why, agent, detail } = action;
  if (state === 'waiting') return [];
  const parts = describeParts(action);
  if (state === 'running') return [...noted(doing && wordsOfDoing(doing)), ...parts];
  const isToldByParts = why?.code === 'launches' || why?.code === 'deliveries';
  const reason = why && !isToldByParts ? noted(wordsOfWhy(why)) : [];
  const did = noted(detail && detail + keptUntil(action));
  // What an agent said comes after how it ended.
  return agent ? [...reason, ...parts, ...did] : [...reason, ...did, ...parts];
}

const MAX_NOTE_CHARS = 300;

function noted(text: string | undefined): string[] {
  return text === undefined ? [] : [codeLine(text, MAX_NOTE_CHARS)];
}

function next(input: RemediationInput, { quiet, next: { running, canRetry } }: Story): string {
  if (running.length > 0) {
    return [
      ...input.actions.filter(({ name }) => running.includes(name)).map((plan) => `- ${triesOf(plan)}`),
      '- Attempts that failed, and why: under *Pending Activities*',
      `- To abort: *Request Cancellation* above, or ${code(meshCommand('abort', [input.id]))}`,
    ].join('\n');
  }
  return [
    'Nothing more happens here.',
    ...(canRetry ? [`To have what is not done run again: ${code(meshCommand('retry', [input.id]))}`] : []),
    ...whenAgain(quiet),
  ].join('\n\n');
}

function triesOf({ name, retry, timeoutMs }: ActionPlan): string {
  if (retry.maxAttempts === 1) return `${code(name)} is tried once, for at most ${duration(timeoutMs)}`;
  const times = retry.maxAttempts === undefined ? 'until its time is up' : `up to ${retry.maxAttempts} times`;
  return `${code(name)} is tried ${times}, for at most ${duration(timeoutMs)} each`;
}

function whenAgain(quiet: QuietWindow[]): string[] {
  return quiet
    .filter(({ by }) => by === 'cooldown')
    .map(({ label, untilAt }) => {
      const about = label === undefined ? '' : ` for ${code(label)}`;
      return `The rule may fire again${about} from ${utc(untilAt)} on, or as soon as somebody re-arms it.`;
    });
}
