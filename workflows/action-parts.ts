import { code, codeLine } from '#contract/text/markdown.js';
import type { DeliveryRecord, Launch, StartedAgent } from '#contract/remediation.js';
import { DELIVERY_WORDS, isThrough, worstFirst } from '#contract/story-words.js';
import type { ActionStory } from '#contract/views/story.js';

const SHOWN_DELIVERIES = 10;
const SHOWN_CHARS = 150;
/** They are short in the record, and their end says most. */
const WORDS_CHARS = 400;

/** What an action consists of, a line each: launchers that were tried, the agent, deliveries. */
export function describeParts({
  launches,
  agent,
  deliveries,
  why,
}: Pick<ActionStory, 'launches' | 'agent' | 'deliveries' | 'why'>): string[] {
  // One launcher says nothing that its agent, or the reason of the action, does not say.
  const isPlain = launches.length < 2 && (why !== undefined || launches.every(({ status }) => status === 'launched'));
  return [
    ...(isPlain ? [] : launches.map(describeLaunch)),
    ...(agent ? [describeAgent(agent)] : []),
    ...describeDeliveries(deliveries),
  ];
}

function describeLaunch({ launcher, status, reason, attempts, lastWords }: Launch): string {
  const said = lastWords === undefined ? '' : `, said at the end: ${codeLine(lastWords, WORDS_CHARS)}`;
  return `launcher ${code(launcher)}: **${status}**${triesOf(attempts)}${because(reason)}${said}`;
}

function describeAgent({ id, launcher, session, outcome }: StartedAgent): string {
  const of = id === undefined ? 'agent' : `agent ${code(id)}`;
  return `${of} of ${code(launcher)}${session === undefined ? '' : `, session ${code(session)}`}: **${outcome}**`;
}

/** Those that went wrong first: of many, they are what somebody must look at. */
function describeDeliveries(deliveries: DeliveryRecord[]): string[] {
  const ordered = worstFirst(deliveries);
  const lines = ordered
    .slice(0, SHOWN_DELIVERIES)
    .map(
      ({ delivery, status, attempts, error }) =>
        `${code(delivery)}: **${DELIVERY_WORDS[status]}**${triesOf(attempts)}${error === undefined || !isThrough(status) ? '' : ', before that'}${because(error)}`,
    );
  const more = ordered.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more, all of them in the result`] : lines;
}

function triesOf(attempts: number): string {
  return attempts > 1 ? ` after ${attempts} attempts` : '';
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : ` ${codeLine(reason, SHOWN_CHARS)}`;
}
