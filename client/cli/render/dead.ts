import { visible } from '../../../contract/plain-text.js';
import type { DeadRemediation } from '../../remediation-views.js';
import { cutFor } from '../terminal/cut-for.js';
import type { Screen } from '../terminal/screen.js';
import { meshCommand } from '../terminal/shell-word.js';
import { moment } from '../terminal/times.js';
import { indent, renderSections } from './facts.js';

/** What gave up, each with why and with what to do about it. */
export function renderDead(dead: DeadRemediation[], now: number, screen: Screen): string {
  return renderSections(dead.map((one) => renderOne(one, now, screen)));
}

function renderOne({ kind, id, rule, startedAt, closedAt, failed }: DeadRemediation, now: number, screen: Screen) {
  const { paint } = screen;
  const heading = `${moment(closedAt ?? startedAt, now)}  rule ${paint.bold(visible(rule))}  ${visible(id)}`;
  const reasons = failed.map(({ action, reason }) => {
    const what = action === undefined ? 'failed' : `${visible(action)} failed`;
    return `${paint.red(what)}: ${cutFor(screen, reason, REASON_CHARS)}`;
  });
  const whatToDo =
    kind === 'remediation'
      ? meshCommand('retry', [id])
      : 'It is not sent again: tell them yourself, and mend the channel.';
  return [heading, ...indent([...reasons, whatToDo])];
}

const REASON_CHARS = 300;
