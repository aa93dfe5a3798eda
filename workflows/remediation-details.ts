import type { ActionPlan } from '#contract/actions/index.js';
import { isAwaited, patienceMsWith } from '#contract/patience.js';
import { wordsOfDoing } from '#contract/story-words.js';
import { duration } from '#contract/text/duration.js';
import { keptUntil } from '#contract/kept-until.js';
import { code, codeLine, utc } from '#contract/text/markdown.js';
import { plural } from '#contract/text/words.js';
import type { ActionStatus, RemediationInput } from '#contract/remediation.js';
import { runsOnlyIf } from '#contract/runs-only-if.js';
import { meshCommand } from '#contract/text/shell-word.js';
import { describeParts, isToldByParts } from './action-parts.js';
import type { ActionState, Progress } from './progress.js';

/**
 * What an operator sees beside a remediation in the Temporal UI, in a narrow column: each action, and what happens next. The UI
 * puts the items of a list within a list on one line, so there is none.
 */
export function renderRemediationDetails(input: RemediationInput, progress: Progress): string {
  const actions = input.actions.map((plan, index) => describeAction(plan, index, input.actions, progress));
  return [`### ${headline(input, progress)}`, ...actions, next(input, progress)].join('\n\n');
}

const HEADLINES: Record<ActionStatus, string> = {
  executed: 'Done: every action that was due has run',
  skipped: 'Done: no action had anything to do',
  failed: 'Failed: at least one action gave up',
  aborted: 'Aborted by an operator',
};

function headline(input: RemediationInput, progress: Progress): string {
  const { outcome, actions } = progress.result();
  if (actions.length === input.actions.length) {
    const hasFailed = outcome === 'aborted' && actions.some(({ status }) => status === 'failed');
    return `${HEADLINES[outcome]}${hasFailed ? ', after an action had given up' : ''}`;
  }
  return `Running: ${actions.length} of ${plural(input.actions.length, 'action')} done`;
}

function describeAction(plan: ActionPlan, place: number, actions: readonly ActionPlan[], progress: Progress): string {
  const { name, type } = plan;
  const before = actions.slice(0, place).findLast(({ refused }) => refused === undefined);
  const state = progress.of(name);
  const who = name.startsWith(type) ? `**${code(name)}**` : `**${code(name)}** (${type})`;
  const isNext = before !== undefined && progress.of(before.name).state !== 'waiting';
  const what = state.state === 'waiting' ? describeWaiting(plan, before, isNext, actions) : describeState(state);
  const [line, ...more] = linesOf(state);
  if (line === undefined) return `${who}: ${what}`;
  if (more.length === 0) return `${who}: ${what}: ${line}`;
  return `${who}: ${what}\n\n${[line, ...more].map((part) => `- ${part}`).join('\n')}`;
}

/** When it starts, given the one before it in the rule. */
function describeWaiting(
  plan: ActionPlan,
  before: ActionPlan | undefined,
  isNext: boolean,
  actions: readonly ActionPlan[],
): string {
  if (before === undefined) return 'waiting';
  const onlyIf = runsOnlyIf(plan, actions, code);
  if (onlyIf !== undefined) return `waiting; runs ${onlyIf}`;
  if (!isNext) return 'waiting';
  if (isAwaited(before)) return `waiting; starts when ${code(before.name)} is done`;
  const ready = 'await' in before ? `the agent of ${code(before.name)} has started` : `${code(before.name)} is done`;
  return `waiting; starts when ${ready}, or after ${duration(patienceMsWith(before))}`;
}

function describeState(state: Exclude<ActionState, { state: 'waiting' }>): string {
  if (state.state === 'running') return `**running** since ${utc(state.sinceAt)}`;
  const { status, attempts, launches = [] } = state.result;
  return attempts > 1 && launches.length < 2 ? `**${status}** after ${attempts} attempts` : `**${status}**`;
}

function linesOf(state: ActionState): string[] {
  const parts = describeParts(state);
  // What it waits for is said beside its name.
  if (state.state === 'waiting') return [];
  if (state.state === 'running') return [...noted(state.doing && wordsOfDoing(state.doing)), ...parts];
  const { reason, agent } = state.result;
  const detail = state.result.detail && state.result.detail + keptUntil(state.result);
  const why = isToldByParts(state.result) ? [] : noted(reason);
  // What an agent said comes after how it ended.
  return agent ? [...why, ...parts, ...noted(detail)] : [...why, ...noted(detail), ...parts];
}

const MAX_NOTE_CHARS = 300;

function noted(text: string | undefined): string[] {
  return text === undefined ? [] : [codeLine(text, MAX_NOTE_CHARS)];
}

function next(input: RemediationInput, progress: Progress): string {
  const running = input.actions.filter(({ name }) => progress.of(name).state === 'running');
  if (running.length > 0) {
    return [
      ...running.map((plan) => `- ${triesOf(plan)}`),
      '- Attempts that failed, and why: under *Pending Activities*',
      `- To abort: *Request Cancellation* above, or ${code(meshCommand('abort', [input.id]))}`,
    ].join('\n');
  }
  const { outcome } = progress.result();
  return [
    'Nothing more happens here.',
    ...(outcome === 'failed' || outcome === 'aborted'
      ? [`To have what is not done run again: ${code(meshCommand('retry', [input.id]))}`]
      : []),
    ...whenAgain(input),
  ].join('\n\n');
}

function triesOf({ name, retry, timeoutMs }: ActionPlan): string {
  if (retry.maxAttempts === 1) return `${code(name)} is tried once, for at most ${duration(timeoutMs)}`;
  const times = retry.maxAttempts === undefined ? 'until its time is up' : `up to ${retry.maxAttempts} times`;
  return `${code(name)} is tried ${times}, for at most ${duration(timeoutMs)} each`;
}

/** A try is past the guards, and arms none. */
function whenAgain({ quiet, isTry }: RemediationInput): string[] {
  if (isTry === true || quiet === undefined) return [];
  const label = quiet.label === undefined ? '' : ` for ${code(quiet.label)}`;
  return [`The rule may fire again${label} from ${utc(quiet.cooldownUntilAt)} on, or as soon as somebody re-arms it.`];
}
