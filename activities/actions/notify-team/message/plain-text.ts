import type { NotificationMessage } from '#contract/notification.js';
import { joinLines, visible, visibleLines } from '#contract/text/plain-text.js';
import { whatNext } from './what-next.js';
import { nameOfAction, saidState, shownError, tellCommand, tellLateness } from './words-of-message.js';

/**
 * The message for those who read plain text, such as a part of every mail: what to know first, the longest and least important
 * last. What the default body says stands in the parts below it.
 */
export function renderText(message: NotificationMessage, why: string): string {
  const { body, bodyRepeatsFacts, prognosis, links, commands } = message;
  const isDefault = bodyRepeatsFacts === true;
  const late = tellLateness(message);
  const sections = [
    late === undefined ? [] : [late],
    prognosis === undefined ? [] : [joinLines(prognosis)],
    isDefault ? [] : visibleLines(body),
    errorOf(message),
    didOf(message),
    nextOf(message),
    links.map(({ text, url }) => `${joinLines(text)}: ${url}`),
    factsOf(message),
    commands.flatMap((one) => [`${tellCommand(one)}:`, `  ${visible(one.command)}`]),
    payloadOf(message),
    ['-- ', why],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function factsOf({ facts }: NotificationMessage): string[] {
  return facts.map(({ label, value }) => `${joinLines(label)}: ${joinLines(value)}`);
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
      const what = `- ${nameOfAction({ action, type })}: ${joinLines(saidState(state))}`;
      return lines.length === 1 ? [`${what}: ${lines[0]}`] : [what, ...lines.map((line) => `    ${line}`)];
    }),
  ];
}

function nextOf(message: NotificationMessage): string[] {
  const lines = whatNext(message);
  return lines.length === 0 ? [] : ['What happens next:', ...lines.map((line) => `- ${line}`)];
}

/** The line of the default body is more of it than is shown elsewhere. */
function payloadOf({ payload, payloadLine, bodyRepeatsFacts }: NotificationMessage): string[] {
  if (payloadLine !== undefined) return visibleLines(`Payload: ${payloadLine}`);
  if (payload === undefined || bodyRepeatsFacts === true) return [];
  return ['Payload:', ...visibleLines(payload).map((line) => `  ${line}`)];
}
