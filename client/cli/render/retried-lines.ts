import { visible } from '#contract/text/plain-text.js';
import type { RetriedActivity } from '#contract/views/remediation.js';
import type { Story } from '#contract/story.js';
import { cutFor } from '../terminal/cut-for.js';
import type { Screen } from '../terminal/screen.js';
import { duration } from '../terminal/times.js';
import { indent } from './facts.js';

/** What has failed and is tried again, a line each: why it failed, and when it is tried next. */
export function retriedLines(retried: readonly RetriedActivity[], now: number, screen: Screen): string[] {
  const lines = retried.slice(0, SHOWN_RETRIED).map((one) => retriedLine(one, now, screen));
  const more = retried.length - lines.length;
  return more > 0 ? [...lines, screen.paint.dim(`… and ${more} more, see --json`)] : lines;
}

const SHOWN_RETRIED = 20;
const REASON_CHARS = 200;

/** One of them. */
export function retriedLine(one: RetriedActivity, now: number, screen: Screen): string {
  const reason = cutFor(screen, one.lastError, REASON_CHARS);
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
