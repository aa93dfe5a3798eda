import { visible } from '#contract/text/plain-text.js';
import type { WatchStatus } from '#contract/watch.js';
import { tenantOptions } from '../tenant-option.js';
import type { Paint } from '../terminal/screen.js';
import { meshCommand } from '../terminal/shell-word.js';
import { moment } from '../terminal/times.js';

/** What an operator has to mend, with the way to do it. */
export function renderTrouble(status: WatchStatus, now: number, paint: Paint): string[] {
  return [...ofPause(status), ...ofHold(status, paint), ...ofRules(status, paint), ...ofConfig(status, now, paint)];
}

function ofPause({ tenant, paused }: WatchStatus): string[] {
  return paused ? [`Every event is skipped. To go on: ${meshCommand('resume', [], tenantOptions(tenant))}`] : [];
}

function ofHold({ held }: WatchStatus, paint: Paint): string[] {
  if (!held) return [];
  return [
    'The rules cannot be read. Nothing is lost: judging goes on by itself once they can.',
    ...listed(held.problems, paint),
  ];
}

function ofRules({ ruleset }: WatchStatus, paint: Paint): string[] {
  if (!ruleset || ruleset.problems.length === 0) return [];
  return [
    paint.red('The rules file has changed and has mistakes. The last good version stays in use.'),
    ...listed(ruleset.problems, paint),
    `When it is mended: ${meshCommand('check', [ruleset.source])}`,
  ];
}

/** Workers look with every event, so what is mended since may still stand here: it says when they looked. */
function ofConfig({ configTrouble }: WatchStatus, now: number, paint: Paint): string[] {
  if (!configTrouble) return [];
  const { source, problems, hasGoodVersion, sinceAt, seenAt } = configTrouble;
  const inUse = hasGoodVersion
    ? 'The last good version stays in use.'
    : 'No version before it was good: actions wait until it is mended.';
  return [
    paint.red(`The configuration cannot be used as it is. ${inUse}`),
    ...listed(problems, paint),
    `A worker saw it first ${moment(sinceAt, now)}, last ${moment(seenAt, now)}. It looks with every event.`,
    `When it is mended: ${meshCommand('check', [source])}`,
  ];
}

function listed(problems: string[], paint: Paint): string[] {
  return problems.map((problem) => `  ${paint.red(visible(problem))}`);
}
