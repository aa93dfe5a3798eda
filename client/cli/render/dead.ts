import type { RestorePoint } from '#contract/lease.js';
import { visible } from '#contract/text/plain-text.js';
import type { DeadRemediation } from '#contract/views/dead.js';
import { cutFor } from '../terminal/cut-for.js';
import type { Screen } from '../terminal/screen.js';
import { meshCommand } from '../terminal/shell-word.js';
import { moment } from '../terminal/times.js';
import { indent, renderSections } from './facts.js';

/** Everything that gave up, with why it did and what to do about it. */
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
  return [heading, ...indent([...reasons, whatToDo(one)])];
}

const ENDS = {
  'by itself': 'failed',
  terminated: 'terminated before it was done',
  'timed-out': 'timed out before it was done',
};

function whatToDo({ kind, id, restorePoint }: DeadRemediation): string {
  switch (kind) {
    case 'remediation':
    case 'notice':
      return meshCommand('retry', [id]);
    case 'lease':
      return restorePoint ? `${raisedBy(restorePoint)} Nothing gives it back: lower it yourself.` : UNKNOWN;
  }
}

function raisedBy({ originalCount, countsSetByMesh }: RestorePoint): string {
  return `The mesh raised it from ${originalCount} to ${countsSetByMesh.join(', then ')}.`;
}

const UNKNOWN = 'Nothing gives it back: look what is left there. A bridge over HTTP ends it by itself.';

const REASON_CHARS = 300;
