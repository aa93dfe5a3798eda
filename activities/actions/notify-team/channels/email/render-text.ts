import type { NotificationMessage } from '#contract/notification.js';
import { joinLines, visible, visibleLines } from '#contract/text/plain-text.js';
import { tellCommand } from '../../message/commands.js';
import { nameOfAction } from '../../message/name-of-action.js';
import { tellLateness } from '../../message/lateness.js';
import { saidState } from '../../message/said-state.js';
import { shownError } from '../../message/shown-error.js';
import { whatNext } from '../../message/what-next.js';

/**
 * The mail for those who read plain text, in the order of the HTML: what to know first, the longest and least important last.
 * What the default body says stands in the parts below it.
 */
export function renderText(message: NotificationMessage, why: string): string {
  const { body, bodyRepeatsFacts, verdict, links, commands } = message;
  const isDefault = bodyRepeatsFacts === true;
  const late = tellLateness(message);
  const sections = [
    late === undefined ? [] : [late],
    verdict === undefined ? [] : [joinLines(verdict)],
    isDefault ? [] : visibleLines(body),
    errorOf(message),
    didOf(message),
    nextOf(message),
    links.map(({ text, url }) => `${joinLines(text)}: ${url}`),
    factsOf(message),
    commands.flatMap((one) => [`${tellCommand(one)}:`, `  ${visible(one.command)}`]),
    isDefault ? payloadLineOf(body) : payloadOf(message),
    ['-- ', why],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

const PAYLOAD_LINE = '\nPayload: ';

/** The default body ends with the payload in one line, which is more of it than is shown elsewhere. */
function payloadLineOf(body: string): string[] {
  const at = body.lastIndexOf(PAYLOAD_LINE);
  return at === -1 ? [] : visibleLines(body.slice(at + 1));
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

function payloadOf({ payload }: NotificationMessage): string[] {
  return payload === undefined ? [] : ['Payload:', ...visibleLines(payload).map((line) => `  ${line}`)];
}
