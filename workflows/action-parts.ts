import { code, codeLine } from '#contract/text/markdown.js';
import type { ActionResult, DeliveryRecord, Launch, StartedAgent } from '#contract/remediation.js';
import { isToldByLaunches } from '#contract/told-by-launches.js';
import type { ActionState } from './progress.js';

const SHOWN_DELIVERIES = 10;
const SHOWN_CHARS = 150;
/** They are short in the record, and their end says most. */
const WORDS_CHARS = 400;

/** What an action consists of, a line each: launchers that were tried, the agent, deliveries. */
export function describeParts(state: ActionState): string[] {
  if (state.state === 'waiting') return [];
  const { launches = [], agent, deliveries = [] } = state.state === 'done' ? state.result : state;
  const reason = state.state === 'done' ? state.result.reason : undefined;
  return [
    ...(isPlain(launches, reason) ? [] : launches.map(describeLaunch)),
    ...(agent ? [describeAgent(agent)] : []),
    ...describeDeliveries(deliveries),
  ];
}

/** True when the reason of the action is made of what its parts say. */
export function isToldByParts({ launches = [], deliveries = [] }: ActionResult): boolean {
  return isToldByLaunches(launches) || deliveries.some(({ status }) => status !== 'delivered');
}

/** One launcher says nothing that its agent, or the reason, does not say. */
function isPlain([launch, ...others]: Launch[], reason: string | undefined): boolean {
  return others.length === 0 && (launch?.status === 'launched' || launch?.reason === reason);
}

function describeLaunch({ launcher, status, reason, attempts, lastWords }: Launch): string {
  const said = lastWords === undefined ? '' : `, said at the end: ${codeLine(lastWords, WORDS_CHARS)}`;
  return `launcher ${code(launcher)}: **${status}**${triesOf(attempts)}${why(reason)}${said}`;
}

function describeAgent({ id, launcher, session, outcome }: StartedAgent): string {
  const of = id === undefined ? 'agent' : `agent ${code(id)}`;
  return `${of} of ${code(launcher)}${session === undefined ? '' : `, session ${code(session)}`}: **${outcome}**`;
}

/** Those that went wrong first: of many, they are what somebody must look at. */
function describeDeliveries(deliveries: DeliveryRecord[]): string[] {
  const ordered = [...deliveries].sort((a, b) => Number(a.status === 'delivered') - Number(b.status === 'delivered'));
  const lines = ordered
    .slice(0, SHOWN_DELIVERIES)
    .map(
      ({ delivery, status, attempts, error }) =>
        `${code(delivery)}: **${status}**${triesOf(attempts)}${error === undefined || status !== 'delivered' ? '' : ', before that'}${why(error)}`,
    );
  const more = ordered.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more, all of them in the result`] : lines;
}

function triesOf(attempts: number): string {
  return attempts > 1 ? ` after ${attempts} attempts` : '';
}

function why(reason: string | undefined): string {
  return reason === undefined ? '' : ` ${codeLine(reason, SHOWN_CHARS)}`;
}
