import { duration } from '../../../../contract/duration.js';
import { utc } from '../../../../contract/markdown.js';
import type { NotificationMessage } from '../../../../contract/notification.js';
import { oneLine } from './one-line.js';

/** What the mesh will do and what it will not, one sentence a line: whoever is woken wants to know what is left to them. */
export function whatNext({ kind, did, toCome, quiet, at }: NotificationMessage): string[] {
  if (kind !== 'remediation') return [];
  const running = did.filter(({ state }) => state === 'running').map(({ action }) => oneLine(action));
  const later = toCome?.map(({ action, type }) => nameOf(action, type));
  return [
    ...(running.length > 0 ? [`Still at work: ${running.join(', ')}.`] : []),
    ...(later === undefined ? [] : [later.length > 0 ? `After this message: ${later.join(', ')}.` : NOTHING_MORE]),
    ...quiet.map(
      ({ what, untilAt }) =>
        `Quiet until ${utc(untilAt)}, ${duration(untilAt - at)} after it fired: ${oneLine(what)}. Until then such events are counted, and nothing is done about them.`,
    ),
    ...(quiet.length === 0 ? ['The rule is not quiet: when this happens again, it fires again.'] : []),
  ];
}

const NOTHING_MORE = 'This message is the last action: the mesh starts nothing more.';

/** An action without a name of its own goes by its type and place. */
function nameOf(action: string, type: string): string {
  return action.startsWith(type) ? action : `${oneLine(action)} (${type})`;
}
