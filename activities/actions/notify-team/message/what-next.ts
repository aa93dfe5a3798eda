import { duration } from '#contract/text/duration.js';
import type { NotificationMessage } from '#contract/notification.js';
import { clock } from './clock.js';
import { joinLines } from '#contract/text/plain-text.js';
import { nameOfAction } from './name-of-action.js';

type Quiet = NotificationMessage['quiet'][number];

/** What the mesh will do and what it will not, one sentence a line: whoever is woken wants to know what is left to them. */
export function whatNext(message: NotificationMessage): string[] {
  const { kind, did, toCome, quiet, verdict = '' } = message;
  if (kind !== 'remediation') return [];
  const running = did.filter(({ state }) => state === 'running').map(({ action }) => joinLines(action));
  const isOver = toCome?.length === 0 && running.length === 0;
  return [
    ...(running.length > 0 ? [`Still at work: ${running.join(', ')}.`] : []),
    ...(toCome && toCome.length > 0 ? [`After this message: ${toCome.map(tellToCome).join('; ')}.`] : []),
    // Unless the first line has said so.
    ...(toCome?.length === 0 && !(isOver && verdict.includes(STARTS_NOTHING)) ? [NOTHING_MORE] : []),
    ...quiet.map((one) => tellQuiet(one, message)),
    ...(quiet.every(({ onlyRepeats }) => onlyRepeats) ? [quiet.length === 0 ? NOT_QUIET : ONLY_REPEATS] : []),
  ];
}

const STARTS_NOTHING = 'starts nothing more';
const NOT_QUIET = 'The rule is not quiet: when this happens again, it fires again.';
const ONLY_REPEATS = 'The rule itself is not quiet: any other event that matches it fires it at once.';
const NOTHING_MORE = 'After this message the mesh starts nothing more.';

function tellToCome({ onlyIf, ...next }: NonNullable<NotificationMessage['toCome']>[number]): string {
  const name = nameOfAction(next);
  return onlyIf === undefined ? name : `${name}, ${joinLines(onlyIf)}`;
}

function tellQuiet({ what, untilAt }: Quiet, { rule, at, late }: NotificationMessage): string {
  const written = joinLines(what);
  const who = written.slice(0, 1).toUpperCase() + written.slice(1);
  if (late !== undefined && untilAt <= late.sentAt) {
    return `${who} was quiet until ${clock(untilAt, at)}. That is over: it may have fired again since.`;
  }
  const until = `${clock(untilAt, late?.sentAt ?? at)} (${duration(untilAt - at)})`;
  return `${who} ${written.startsWith('actions ') ? 'are' : 'is'} quiet until ${until}. Until then ${meanwhile(what, rule)}.`;
}

function meanwhile(what: string, rule: string): string {
  if (what === `rule ${rule}`) return 'it does nothing, whatever matches it';
  if (what.startsWith('rule ')) return 'it does nothing about such events';
  return `no such event starts ${what.startsWith('actions ') ? 'them' : 'it'}`;
}
