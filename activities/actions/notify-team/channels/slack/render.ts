import { utc } from '#contract/text/markdown.js';
import type { NotificationMessage } from '#contract/notification.js';
import { whatNext } from '../../message/what-next.js';
import { buttons, context, fields, header, isAddress, MAX_BLOCKS, section, type SlackBlock, sizeOf } from './blocks.js';
import { bold, code, codeBlock, mrkdwn, plain } from './mrkdwn.js';
import { headline, saidState, shownError, tellCommand, tellLateness } from '../../message/words-of-message.js';

export interface SlackMessage {
  /** What notifications, screen readers and programs without Block Kit show. */
  text: string;
  blocks?: SlackBlock[];
  unfurl_links: false;
  unfurl_media: false;
}

/** Slack refuses more than about 13,000 in all blocks together, and says nowhere how it counts them. */
const MAX_SIZE = 10_000;
const MAX_ERROR_CHARS = 1_800;
const MAX_BODY_CHARS = 2_500;
const MAX_DID = 10;
const MAX_SAID_CHARS = 500;
const MAX_NAME_CHARS = 150;
const MAX_VALUE_CHARS = 200;
const MAX_COMMANDS = 10;
const MAX_COMMAND_CHARS = 1_000;
const MAX_LINE_CHARS = 300;
const MAX_PROGNOSIS_CHARS = 600;

/** Whoever is woken reads from the top, and stops when they know enough. What does not fit is left out from the end. */
export function renderSlack(message: NotificationMessage): SlackMessage {
  const late = tellLateness(message);
  const first = [
    header(message.subject),
    context([...headline(message), utc(message.at)].join(' · ')),
    ...(late === undefined ? [] : [section(plain(late, MAX_LINE_CHARS))]),
    ...(message.prognosis === undefined ? [] : [section(plain(message.prognosis, MAX_PROGNOSIS_CHARS))]),
  ];
  const links = buttons(message.links);
  const above = [...bodyOf(message), ...errorOf(message), ...didOf(message), ...nextOf(message)];
  const below = [
    ...fields(message.facts.map(({ label, value }) => `${bold(label)}\n${code(value, MAX_VALUE_CHARS)}`)),
    ...commandsOf(message),
  ];
  const optional = [...above, ...below];
  const shown = thatFit(optional, [...first, ...links]);
  const isCut = shown.length < optional.length;
  return {
    ...fallbackOf(message),
    blocks: [
      ...first,
      ...shown.slice(0, above.length),
      ...links,
      ...shown.slice(above.length),
      ...(isCut ? [context('There is more than fits here.')] : []),
    ],
  };
}

/** For a receiver that refuses the blocks: better said in short than not at all. */
export function fallbackOf(message: NotificationMessage): SlackMessage {
  const { subject, prognosis, error, links } = message;
  const late = tellLateness(message);
  const lines = [
    code(subject, MAX_LINE_CHARS),
    ...(late === undefined ? [] : [code(late, MAX_LINE_CHARS)]),
    ...(prognosis === undefined ? [] : [code(prognosis, MAX_PROGNOSIS_CHARS)]),
    ...(error === undefined ? [] : [code(error, MAX_LINE_CHARS)]),
    ...links.filter(({ url }) => isAddress(url)).map(({ url }) => url.replaceAll('&', '&amp;')),
  ];
  return { text: lines.join('\n'), unfurl_links: false, unfurl_media: false };
}

function bodyOf({ body, bodyRepeatsFacts }: NotificationMessage): SlackBlock[] {
  return bodyRepeatsFacts === true ? [] : [section(plain(body, MAX_BODY_CHARS))];
}

function errorOf(message: NotificationMessage): SlackBlock[] {
  const error = shownError({ ...message, body: message.body.slice(0, MAX_BODY_CHARS) });
  return error === undefined ? [] : [section(mrkdwn(`*What went wrong*\n${codeBlock(error, MAX_ERROR_CHARS)}`))];
}

function didOf({ kind, did }: NotificationMessage): SlackBlock[] {
  if (kind !== 'remediation') return [];
  if (did.length === 0)
    return [section(mrkdwn('*What the mesh did*\nNothing before this message: it is the first action.'))];
  // The last ones are nearest to what is to be done now.
  const steps = did.slice(-MAX_DID).map(({ action, type, state, text }) => {
    const who = action.startsWith(type)
      ? code(action, MAX_NAME_CHARS)
      : `${code(action, MAX_NAME_CHARS)} (${code(type, MAX_NAME_CHARS)})`;
    const said = text === undefined ? '' : `\n${codeBlock(text, MAX_SAID_CHARS)}`;
    return `${bold(saidState(state))} ${who}${said}`;
  });
  const [first = '', ...more] = did.length > steps.length ? ['There were others before these.', ...steps] : steps;
  return [section(mrkdwn(`*What the mesh did*\n${first}`)), ...more.map((step) => section(mrkdwn(step)))];
}

/** The lines hold names that rules give, so they are plain text, and the heading stands in a block of its own. */
function nextOf(message: NotificationMessage): SlackBlock[] {
  const lines = whatNext(message);
  if (lines.length === 0) return [];
  return [section(mrkdwn('*What happens next*')), section(plain(lines.join('\n'), MAX_BODY_CHARS))];
}

/** A block for each, so that copying one takes no other along; those that end something come last, under a line of their own. */
function commandsOf({ commands }: NotificationMessage): SlackBlock[] {
  return [
    ...commandBlocks(
      '*To act*',
      commands.filter(({ ends }) => !ends),
    ),
    ...commandBlocks(
      '*To end something*',
      commands.filter(({ ends }) => ends),
    ),
  ];
}

function commandBlocks(title: string, commands: NotificationMessage['commands']): SlackBlock[] {
  if (commands.length === 0) return [];
  const blocks = commands
    .slice(0, MAX_COMMANDS)
    .flatMap((one) => [context(tellCommand(one)), section(mrkdwn(codeBlock(one.command, MAX_COMMAND_CHARS)))]);
  return [section(mrkdwn(title)), ...blocks];
}

function thatFit(optional: SlackBlock[], always: SlackBlock[]): SlackBlock[] {
  const room = MAX_SIZE - always.reduce((sum, block) => sum + sizeOf(block), 0);
  // One is kept for the note that something was left out.
  const places = MAX_BLOCKS - always.length - 1;
  const fitting: SlackBlock[] = [];
  let size = 0;
  for (const block of optional.slice(0, places)) {
    size += sizeOf(block);
    if (size > room) break;
    fitting.push(block);
  }
  return fitting;
}
