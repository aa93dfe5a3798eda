import { visible } from '#contract/text/plain-text.js';
import type { RemediationDetail } from '#contract/views/remediation.js';
import type { Screen } from '../terminal/screen.js';
import { meshCommand } from '../terminal/shell-word.js';
import { moment } from '../terminal/times.js';
import { indent, renderFacts } from './facts.js';
import {
  nextSteps,
  otherRetriedLines,
  paintOutcome,
  retriedLines,
  saidBy,
  stateWords,
  tookOf,
  triesOf,
} from './remediation-lines.js';

/** What a rule that fired has started, with its outcome so far and what to do about it. */
export function renderStarted(remediation: RemediationDetail, now: number, screen: Screen): string[] {
  const { paint } = screen;
  const { outcome, startedAt, id } = remediation;
  const { story } = remediation;
  const actions = story.actions.map((action): [string, string[]] => {
    const state = paintOutcome(action.state, paint)(stateWords(action));
    const said = saidBy(action, screen);
    const tries = action.retrying.length > 0 ? '' : triesOf(action.attempts);
    return [
      visible(action.name),
      [`${state}${tries}${said === '' ? '' : `: ${said}`}`, ...retriedLines(action.retrying, now, screen)],
    ];
  });
  const when = outcome === 'running' ? '' : `, took ${tookOf(remediation, now)}`;
  return [
    `Its remediation was started ${moment(startedAt, now)}${when}: ${paintOutcome(outcome, paint)(outcome)}`,
    ...indent(renderFacts(actions)),
    ...otherRetriedLines(story, now, screen),
    ...nextSteps(id, story).map(({ command, effect }) => `To act: ${command}   (${effect})`),
    `More:   ${meshCommand('show', [id])}`,
  ];
}
