import { wordsOfCondition } from '#contract/runs-only-if.js';
import { keptUntil, wordsOfDoing, wordsOfWhy } from '#contract/story-words.js';
import type { ActionStory, Story, StoryOutcome } from '#contract/views/story.js';
import { visible } from '#contract/text/plain-text.js';
import type { RemediationSummary } from '#contract/views/remediation.js';
import type { RetriedActivity } from '#contract/views/actions.js';

import { tenantOptions } from '../tenant-option.js';
import { cutFor } from '../terminal/cut-for.js';
import type { Paint, Screen } from '../terminal/screen.js';
import { meshCommand } from '../terminal/shell-word.js';
import { duration } from '../terminal/times.js';
import { indent } from './facts.js';

/** An outcome in the colour that says whether somebody must look. */
export function paintOutcome(outcome: StoryOutcome | ActionStory['state'], paint: Paint): (text: string) => string {
  switch (outcome) {
    case 'executed':
      return paint.green;
    case 'failed':
    case 'terminated':
    case 'timed-out':
      return paint.red;
    case 'running':
    case 'aborted':
      return paint.yellow;
    case 'skipped':
    case 'waiting':
      return paint.dim;
    case 'unknown':
      return (text) => text;
  }
}

/** The state of an action as people say it. */
export function stateWords({ state }: ActionStory): string {
  return state === 'unknown' ? 'not known' : state;
}

/** How long it took, or has taken so far. */
export function tookOf({ startedAt, closedAt, outcome }: RemediationSummary, now: number): string {
  if (outcome === 'running') return duration(now - startedAt);
  return closedAt === undefined ? '-' : duration(closedAt - startedAt);
}

/** Why it stands so, or what it waits for. */
export function whyOf({ state, doing, why, onlyIf }: ActionStory): string | undefined {
  if (why) return wordsOfWhy(why);
  if (doing) return wordsOfDoing(doing);
  return state === 'waiting' && onlyIf ? `runs ${wordsOfCondition(onlyIf)}` : undefined;
}

/** What it did. */
export function didOf(action: ActionStory): string {
  return action.detail ? action.detail + keptUntil(action) : '';
}

/** Both in one line; whole where nobody looks at a terminal. */
export function saidBy(action: ActionStory, screen: Screen, did = didOf(action)): string {
  return [cutFor(screen, whyOf(action) ?? '', REASON_CHARS), cutFor(screen, did, DETAIL_CHARS)]
    .filter((part) => part !== '')
    .join('; ');
}

const REASON_CHARS = 300;
const DETAIL_CHARS = 160;

export function triesOf(attempts: number | undefined): string {
  return attempts === undefined || attempts < 2 ? '' : ` after ${attempts} attempts`;
}

export const ABORT_WAITS = 'Its abort waits for a worker: what runs is ended then, and nothing more is started.';

/** What can be done about a remediation, as commands to copy. */
export function nextSteps(id: string, { next: { canAbort, canRetry } }: Story): { command: string; effect: string }[] {
  return [
    ...(canAbort ? [{ command: meshCommand('abort', [id]), effect: 'ends what runs, and starts nothing more' }] : []),
    ...(canRetry
      ? [{ command: meshCommand('retry', [id]), effect: 'runs again what was not done, with the same effect keys' }]
      : []),
  ];
}

export function whyCommand({ eventId, tenant }: Pick<RemediationSummary, 'eventId' | 'tenant'>): string {
  return meshCommand('why', [eventId], tenantOptions(tenant));
}

/** What has failed and is tried again, a line each: why it failed, and when it is tried next. */
export function retriedLines(retried: readonly RetriedActivity[], now: number, screen: Screen): string[] {
  const lines = retried.slice(0, SHOWN_RETRIED).map((one) => retriedLine(one, now, screen));
  const more = retried.length - lines.length;
  return more > 0 ? [...lines, screen.paint.dim(`… and ${more} more, see --json`)] : lines;
}

const SHOWN_RETRIED = 20;
const RETRIED_REASON_CHARS = 200;

/** One of them. */
export function retriedLine(one: RetriedActivity, now: number, screen: Screen): string {
  const reason = cutFor(screen, one.lastError, RETRIED_REASON_CHARS);
  const failed = screen.paint.yellow(`attempt ${one.attempt - 1} failed`);
  return `${visible(one.delivery ?? one.doing)}: ${failed}: ${reason}; ${nextOf(one, now)}`;
}

function nextOf({ state, attempt, nextAt = 0 }: RetriedActivity, now: number): string {
  switch (state) {
    case 'waiting':
      return nextAt - now < 1_000 ? `attempt ${attempt} is due` : `attempt ${attempt} in ${duration(nextAt - now)}`;
    case 'queued':
      return `attempt ${attempt} waits for a worker`;
    case 'running':
      return `attempt ${attempt} runs`;
    case 'paused':
      return `attempt ${attempt} is paused in Temporal`;
  }
}

/** What is part of no action, with a heading. */
export function otherRetriedLines({ retrying }: Story, now: number, screen: Screen): string[] {
  const lines = retriedLines(retrying, now, screen);
  return lines.length === 0 ? [] : ['Being tried again:', ...indent(lines)];
}
