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

function renderOne(one: DeadRemediation, now: number, screen: Screen) {
  const { kind, id, rule, environment = '', startedAt, closedAt, ended, failed } = one;
  const { paint } = screen;
  const about = kind === 'lease' ? `lease on ${paint.bold(visible(environment))}` : `rule ${paint.bold(visible(rule))}`;
  const heading = `${moment(closedAt ?? startedAt, now)}  ${about}  ${visible(id)}`;
  const reasons = failed.map(({ action, reason }) => {
    const what = action === undefined ? ENDS[ended ?? 'by itself'] : `${visible(action)} failed`;
    return `${paint.red(what)}: ${cutFor(screen, reason, REASON_CHARS)}`;
  });
  return [heading, ...indent([...reasons, whatToDo(kind, id)])];
}

const ENDS = {
  'by itself': 'failed',
  terminated: 'terminated before it was done',
  'timed-out': 'timed out before it was done',
};

function whatToDo(kind: DeadRemediation['kind'], id: string): string {
  switch (kind) {
    case 'remediation':
      return meshCommand('retry', [id]);
    case 'notice':
      return 'It is not sent again: tell them yourself, and mend the channel.';
    case 'lease':
      return 'Nothing gives this capacity back: lower it yourself.';
  }
}

const REASON_CHARS = 300;
