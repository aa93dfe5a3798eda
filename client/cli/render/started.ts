import { visible } from '#contract/text/plain-text.js';
import type { RemediationDetail } from '../../remediation-views.js';
import type { Screen } from '../terminal/screen.js';
import { meshCommand } from '../terminal/shell-word.js';
import { moment } from '../terminal/times.js';
import { indent, renderFacts } from './facts.js';
import { actionLines, nextSteps, paintOutcome, saidBy, tookOf, triesOf } from './remediation-lines.js';
import { otherRetriedLines, retriedLines } from './retried-lines.js';

/** What a rule that fired has started, with its outcome so far and what to do about it. */
export function renderStarted(remediation: RemediationDetail, now: number, screen: Screen): string[] {
  const { paint } = screen;
  const { outcome, startedAt, id } = remediation;
  const actions = actionLines(remediation).map((line): [string, string[]] => {
    const state = line.status === 'unknown' ? 'not known' : paintOutcome(line.status, paint)(line.status);
    const said = saidBy(line, screen);
    const tries = line.retried.length > 0 ? '' : triesOf(line.attempts);
    return [
      visible(line.action),
      [`${state}${tries}${said === '' ? '' : `: ${said}`}`, ...retriedLines(line.retried, now, screen)],
    ];
  });
  const when = outcome === 'running' ? '' : `, took ${tookOf(remediation, now)}`;
  return [
    `Its remediation was started ${moment(startedAt, now)}${when}: ${paintOutcome(outcome, paint)(outcome)}`,
    ...indent(renderFacts(actions)),
    ...otherRetriedLines(remediation, now, screen),
    ...nextSteps(remediation).map(({ command, effect }) => `To act: ${command}   (${effect})`),
    `More:   ${meshCommand('show', [id])}`,
  ];
}
