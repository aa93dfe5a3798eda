import { duration } from '#contract/text/duration.js';
import { utcBeside } from '#contract/text/markdown.js';
import type { NotificationMessage } from '#contract/notification.js';
import type { QuietWindow } from '#contract/views/story.js';
import { joinLines } from '#contract/text/plain-text.js';
import { nameOfAction } from './words-of-message.js';

/** What the mesh will do and what it will not, one sentence a line: whoever is woken wants to know what is left to them. */
export function whatNext(message: NotificationMessage): string[] {
  const { kind, did, toCome, quiet, prognosisSaysEnd } = message;
  if (kind !== 'remediation') return [];
  const running = did.filter(({ state }) => state === 'running').map(({ action }) => joinLines(action));
  const isOver = toCome?.length === 0 && running.length === 0;
  return [
    ...(running.length > 0 ? [`Still at work: ${running.join(', ')}.`] : []),
    ...(toCome && toCome.length > 0 ? [`After this message: ${toCome.map(tellToCome).join('; ')}.`] : []),
    // Unless the first line has said so.
    ...(toCome?.length === 0 && !(isOver && prognosisSaysEnd) ? [NOTHING_MORE] : []),
    ...quiet.map((one) => tellQuiet(one, message)),
    ...(quiet.every(({ by }) => by === 'repeats') ? [quiet.length === 0 ? NOT_QUIET : ONLY_REPEATS] : []),
  ];
}

const NOT_QUIET = 'The rule is not quiet: when this happens again, it fires again.';
const ONLY_REPEATS = 'The rule itself is not quiet: any other event that matches it fires it at once.';
const NOTHING_MORE = 'After this message the mesh starts nothing more.';

function tellToCome({ onlyIf, ...next }: NonNullable<NotificationMessage['toCome']>[number]): string {
  const name = nameOfAction(next);
  return onlyIf === undefined ? name : `${name}, ${joinLines(onlyIf)}`;
}

function tellQuiet(window: QuietWindow, { rule, at, late }: NotificationMessage): string {
  const written = joinLines(wordsOfQuiet(window, rule));
  const who = written.slice(0, 1).toUpperCase() + written.slice(1);
  const { untilAt } = window;
  if (late !== undefined && untilAt <= late.sentAt) {
    return `${who} was quiet until ${utcBeside(untilAt, at)}. That is over: it may have fired again since.`;
  }
  const until = `${utcBeside(untilAt, late?.sentAt ?? at)} (${duration(untilAt - at)})`;
  return `${who} ${areSeveral(window) ? 'are' : 'is'} quiet until ${until}. Until then ${meanwhile(window)}.`;
}

/** Who is quiet, and for what: `action tell of rule r for an event equal to this one`. */
export function wordsOfQuiet({ by, actions, label, fields }: QuietWindow, rule: string): string {
  if (by === 'cooldown') return label === undefined ? `rule ${rule}` : `rule ${rule} for ${label}`;
  const some = `${actions?.length === 1 ? 'action' : 'actions'} ${actions?.join(', ')} of rule ${rule}`;
  const equal = fields === undefined ? 'an event equal to this one' : `events of the same ${fields.join(', ')}`;
  return `${actions === undefined ? `rule ${rule}` : some} for ${equal}`;
}

function areSeveral({ actions = [] }: QuietWindow): boolean {
  return actions.length > 1;
}

function meanwhile(window: QuietWindow): string {
  const { by, actions, label } = window;
  if (actions !== undefined) return `no such event starts ${areSeveral(window) ? 'them' : 'it'}`;
  const isAll = by === 'cooldown' && label === undefined;
  return isAll ? 'it does nothing, whatever matches it' : 'it does nothing about such events';
}
