import { keptUntil } from '#contract/kept-until.js';
import { wordsOfCondition } from '#contract/runs-only-if.js';
import { wordsOfDoing, wordsOfWhy } from '#contract/story-words.js';
import { type ActionStory, type Story, type StoryOutcome, storyOf } from '#contract/story.js';
import type { RemediationDetail, RemediationSummary } from '#contract/views/remediation.js';
import { tenantOptions } from '../tenant-option.js';
import { cutFor } from '../terminal/cut-for.js';
import type { Paint, Screen } from '../terminal/screen.js';
import { meshCommand } from '../terminal/shell-word.js';
import { duration } from '../terminal/times.js';

/** What is known of a remediation, as all commands tell it. */
export function storyOfRun({ actions, progress, ...known }: RemediationDetail): Story {
  return storyOf({ ...known, remediation: { actions }, actions: progress?.actions });
}

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
