import { visible } from '#contract/text/plain-text.js';
import type { RecordedEnding, RecordedEvent } from '#contract/views/events.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';
import type { Paint } from '../terminal/screen.js';
import { duration } from '../terminal/times.js';
import { paintOutcome } from './remediation-lines.js';

/** "17:03:49 Bash failed (dev-7) → retry-failed-tool fired": what became of an event, in one line. */
export function eventLine(event: RecordedEvent, paint: Paint): string {
  const session = event.session === undefined ? '' : paint.dim(` (${visible(event.session)})`);
  return `${time(event.at, paint)} ${subject(event.tool ?? event.event, event.outcome)}${session} → ${said(event.verdicts, paint)}`;
}

/** "17:03:50 Bash failed → retry-failed-tool → executed, 1 s": how a remediation has ended. */
export function endingLine(ending: RecordedEnding, paint: Paint): string {
  const { at, rule, event, tool, eventOutcome, outcome, tookMs } = ending;
  const end = paintOutcome(outcome, paint)(outcome);
  return `${time(at, paint)} ${subject(tool ?? event, eventOutcome)} → ${visible(rule)} → ${end}, ${duration(tookMs)}`;
}

function time(at: number, paint: Paint): string {
  return paint.dim(new Date(at).toTimeString().slice(0, 8));
}

function subject(name: string, outcome: string | undefined): string {
  return visible(outcome === undefined || outcome === 'unknown' ? name : `${name} ${outcome}`);
}

/** Rule by rule; a rule that fires for some of its actions only has fired. */
function said(verdicts: readonly LoggedVerdict[], paint: Paint): string {
  const byRule = new Map<string | undefined, LoggedVerdict>();
  for (const one of verdicts) {
    if (one.verdict === 'fire' || !byRule.has(one.rule)) byRule.set(one.rule, one);
  }
  const words = [...byRule.values()].map((one) => {
    const what = one.verdict === 'fire' ? paint.green('fired') : paint.yellow(one.code);
    return one.rule === undefined ? what : `${visible(one.rule)} ${what}`;
  });
  const [few, more] = [words.slice(0, SHOWN_RULES), words.length - SHOWN_RULES];
  return `${few.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const SHOWN_RULES = 5;
