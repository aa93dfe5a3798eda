import type { ActionPlan } from '#contract/actions/index.js';
import type { WarmPlan } from '#contract/actions/warm-remote-capacity/schema.js';
import type { ActionRequest } from '#contract/activities.js';
import { duration } from '#contract/text/duration.js';
import type { NotificationMessage } from '#contract/notification.js';
import type { ActionResult, DeliveryRecord, Launch, PendingAction, StartedAgent } from '#contract/remediation.js';
import { shortened } from '#contract/text/shorten.js';
import { runsOnlyIf } from '#contract/runs-only-if.js';
import { wordsOfDoing } from '#contract/story-words.js';
import { isToldByLaunches } from '#contract/told-by-launches.js';
import { oneLine } from '#contract/text/plain-text.js';
import { clock } from './clock.js';
import { doneAfter } from './done-after.js';

type Did = NotificationMessage['did'][number];

/**
 * What became of each action before this one, and in a retry of those after it that are done: whoever is woken should not begin
 * with finding that out.
 */
export function didSoFar(request: ActionRequest<ActionPlan>, nowMs: number): Did[] {
  const { plan, remediation, soFar, pending } = request;
  const doneLater = doneAfter(request);
  const at = remediation.actions.findIndex(({ name }) => name === plan.name);
  const isTold = ({ name }: ActionPlan, place: number) => place < at || doneLater.some(({ action }) => action === name);
  return remediation.actions.filter(isTold).map((action) => {
    const { name, type } = action;
    const result = [...soFar, ...doneLater].find(({ action: done }) => done === name);
    if (result)
      return { action: name, type, ...tellResult(result, tellLease(action, result, remediation.firedAt, nowMs)) };
    return {
      action: name,
      type,
      ...tellPending(
        pending.find(({ action: open }) => open === name),
        runsOnlyIf(action, remediation.actions),
      ),
    };
  });
}

function tellResult(result: ActionResult, lease: string | undefined): Told {
  const { status, reason, detail, attempts, launches = [], agent, deliveries = [] } = result;
  const isByLaunches = isToldByLaunches(launches);
  const isNew = (text: string | undefined) => text === undefined || reason?.includes(text) !== true;
  const isNewFailure = (launch: Launch) => launch.status === 'failed' && isNew(launch.reason);
  return told(status, [
    isByLaunches ? undefined : withAttempts(reason, launches.length > 1 ? 1 : attempts),
    ...(isByLaunches ? launches : launches.filter(isNewFailure)).map(tellLaunch),
    ...(agent ? tellAgent(agent, status !== 'failed') : [detail]),
    status === 'executed' ? lease : undefined,
    ...deliveries.filter((one) => one.status !== 'delivered' && isNew(one.error)).map(tellMissed),
  ]);
}

function withAttempts(reason: string | undefined, attempts: number): string | undefined {
  if (attempts < 2) return reason;
  return reason === undefined ? `after ${attempts} attempts` : `${reason} (after ${attempts} attempts)`;
}

/** An action the remediation does not speak of is one it has just begun. */
function tellPending(action: PendingAction | undefined, onlyIf: string | undefined): Told {
  const { status = 'running', doing, launches = [], agent } = action ?? {};
  const note = doing ? wordsOfDoing(doing) : status === 'waiting' && onlyIf ? `runs ${onlyIf}` : undefined;
  return told(status, [note, ...launches.map(tellLaunch), ...(agent ? tellAgent(agent, true) : [])]);
}

type Told = Pick<Did, 'state' | 'text'>;

const MAX_DETAIL_CHARS = 1_500;

function told(state: string, parts: (string | undefined | false)[]): Told {
  const texts = parts
    .filter((part) => typeof part === 'string' && part !== '')
    .map((part) => shortened(String(part), MAX_DETAIL_CHARS));
  return { state, ...(texts.length > 0 && { text: texts.join('\n') }) };
}

/** Of the one line that each launcher has, so that the last words of its agent have room in it too. */
const MAX_REASON_CHARS = 500;

/** In one line, whatever its agent or its service has said: so nothing of that passes for a line of the mesh. */
function tellLaunch({ launcher, reason = 'failed', attempts, lastWords }: Launch): string {
  const said = lastWords === undefined ? '' : `; said at the end: ${oneLine(lastWords, Infinity)}`;
  return `${launcher}: ${withAttempts(oneLine(reason, MAX_REASON_CHARS), attempts)}${said}`;
}

const AGENT_OUTCOMES: Record<StartedAgent['outcome'], string> = {
  running: 'was started; how it ended is not known yet',
  success: 'ended well',
  failed: 'failed',
  timeout: 'ran out of time',
};

/** The end of what an agent said is most often the best there is to read. */
const MAX_TAIL_CHARS = 800;

/** Set in, so that nothing an agent says passes for a line of the mesh. */
function tellAgent({ launcher, id, outcome, outputTail = '' }: StartedAgent, withOutcome: boolean): string[] {
  const tail = outputTail.trim();
  const shown = tail.length <= MAX_TAIL_CHARS ? tail : `…${tail.slice(-MAX_TAIL_CHARS).toWellFormed()}`;
  const who = id === undefined ? launcher : `${launcher} (agent ${id})`;
  return [
    ...(withOutcome ? [`${who} ${AGENT_OUTCOMES[outcome]}`] : []),
    ...(shown === '' ? [] : [[`${who} said at the end:`, ...shown.split(/\r\n|\r|\n/)].join('\n  ')]),
  ];
}

const THEN = 'then the mesh gives back what it raised';

/** Whoever relies on capacity must know that it goes away. */
function tellLease(
  plan: ActionPlan,
  { leaseUntilAt }: ActionResult,
  firedAt: number,
  nowMs: number,
): string | undefined {
  if (plan.type !== 'warm_remote_capacity') return undefined;
  if (leaseUntilAt === undefined) return guessLease(plan, firedAt, nowMs);
  const until = `ready until ${clock(leaseUntilAt, firedAt)} at least`;
  return `${plan.ensure} ${leaseUntilAt <= nowMs ? `${until}, which is over;` : `${until},`} ${THEN}`;
}

/**
 * Of a result that does not say until when. A lease begins when its action does, which is after the rule has fired. A plan of
 * an earlier version does not say how long it is.
 */
function guessLease({ ensure, forMs }: Partial<WarmPlan>, firedAt: number, nowMs: number): string | undefined {
  if (forMs === undefined) return undefined;
  const untilAt = firedAt + forMs;
  // It may have begun later, after actions that took long, or when an operator had it tried again.
  if (untilAt <= nowMs) return `${ensure} ready for ${duration(forMs)}, which may be over; ${THEN}`;
  return `${ensure} ready until ${clock(untilAt, firedAt)} at least, ${THEN}`;
}

function tellMissed({ delivery, status, error }: DeliveryRecord): string {
  return `${delivery}: ${status}${error === undefined ? '' : `, ${error}`}`;
}
