import type { NotificationMessage } from '../../../../../contract/notification.js';
import { visibleLines } from '../../../../../contract/plain-text.js';
import { oneLine } from '../../message/one-line.js';
import { saidState } from '../../message/said-state.js';
import { shownError } from '../../message/shown-error.js';
import { whatNext } from '../../message/what-next.js';

/** The mail for those who read plain text: what to know first, the longest and least important last. */
export function renderText(message: NotificationMessage, why: string): string {
  const isDefault = message.bodyRepeatsFacts === true;
  const [body, payloadLine] = isDefault ? partBody(message.body) : [message.body, undefined];
  const facts = factsOf(message, body);
  const sections = [
    visibleLines(body),
    // Beside those that the default body has.
    ...(isDefault ? [facts] : [errorOf(message)]),
    didOf(message),
    nextOf(message),
    message.links.map(({ text, url }) => `${text}: ${url}`),
    ...(isDefault ? [] : [facts]),
    message.commands.flatMap(({ what, command }) => [`${what}:`, `  ${command}`]),
    payloadLine === undefined ? payloadOf(message) : visibleLines(payloadLine),
    ['-- ', why],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

const PAYLOAD_LINE = '\nPayload: ';

/** The default body ends with the whole payload in one line, and whoever is woken has other things to read before that. */
function partBody(body: string): [body: string, payloadLine: string | undefined] {
  const at = body.lastIndexOf(PAYLOAD_LINE);
  return at === -1 ? [body, undefined] : [body.slice(0, at), body.slice(at + 1)];
}

function factsOf({ facts, bodyRepeatsFacts }: NotificationMessage, body: string): string[] {
  const isSaid = (label: string) => bodyRepeatsFacts === true && body.includes(`\n${label}: `);
  return facts.filter(({ label }) => !isSaid(label)).map(({ label, value }) => `${label}: ${oneLine(value)}`);
}

/** Set in from its second line on, so that nothing in it passes for a line of the mesh. */
function errorOf(message: NotificationMessage): string[] {
  const error = shownError(message);
  if (error === undefined) return [];
  const [first = '', ...more] = visibleLines(error);
  return [`Error: ${first}`, ...more.map((line) => `    ${line}`)];
}

function didOf({ kind, did }: NotificationMessage): string[] {
  if (kind !== 'remediation') return [];
  if (did.length === 0) return ['What the mesh did before this message: nothing, this is its first action.'];
  return [
    'What the mesh did before this message:',
    ...did.flatMap(({ action, type, state, text }) => {
      const lines = text === undefined ? [] : visibleLines(text);
      const who = action.startsWith(type) ? action : `${oneLine(action)} (${type})`;
      const what = `- ${who}: ${saidState(state)}`;
      return lines.length === 1 ? [`${what}: ${lines[0]}`] : [what, ...lines.map((line) => `    ${line}`)];
    }),
  ];
}

function nextOf(message: NotificationMessage): string[] {
  const lines = whatNext(message);
  return lines.length === 0 ? [] : ['What happens next:', ...lines.map((line) => `- ${line}`)];
}

function payloadOf({ payload }: NotificationMessage): string[] {
  return payload === undefined ? [] : ['Payload:', ...visibleLines(payload).map((line) => `  ${line}`)];
}
