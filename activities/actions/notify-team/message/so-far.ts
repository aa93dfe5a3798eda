import type { ActionPlan } from '#contract/actions/index.js';
import type { ActionRequest } from '#contract/activities.js';
import {
  type ActionResult,
  type DeliveryRecord,
  isDone,
  type Launch,
  type PendingAction,
  type StartedAgent,
} from '#contract/remediation.js';
import type { NotificationMessage } from '#contract/notification.js';
import { shortened } from '#contract/text/shorten.js';
import { runsOnlyIf } from '#contract/runs-only-if.js';
import { isToldByLaunches } from '#contract/story.js';
import { DELIVERY_WORDS, isThrough, wordsOfDoing } from '#contract/story-words.js';
import { oneLine } from '#contract/text/plain-text.js';
import { tellerOf } from '../../tellers.js';

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
    if (result) {
      const left = tellerOf(type).tellLeft?.(action, result, { firedAt: remediation.firedAt, nowMs });
      return { action: name, type, ...tellResult(result, left) };
    }
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

function tellResult(result: ActionResult, left: string | undefined): Told {
  const { status, reason, detail, attempts, launches = [], agent, deliveries = [] } = result;
  const isByLaunches = isToldByLaunches(launches);
  // The reason of an action that failed is that of its launchers, and the reason of a message that of its deliveries.
  const failed = status === 'failed' ? [] : launches.filter((launch) => launch.status === 'failed');
  const missed = reason === undefined ? deliveries.filter((one) => !isThrough(one.status)) : [];
  return told(status, [
    isByLaunches ? undefined : withAttempts(reason, launches.length > 1 ? 1 : attempts),
    ...(isByLaunches ? launches : failed).map(tellLaunch),
    ...(agent ? tellAgent(agent, status !== 'failed') : [detail]),
    status === 'executed' ? left : undefined,
    ...missed.map(tellMissed),
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

function tellMissed({ delivery, status, error }: DeliveryRecord): string {
  return `${delivery}: ${DELIVERY_WORDS[status]}${error === undefined ? '' : `, ${error}`}`;
}

/** In a retry, actions that come later in the rule were done before this one: by the run that is retried. */
export function doneAfter({
  plan,
  remediation: { actions, earlier = [] },
}: Pick<ActionRequest<ActionPlan>, 'plan' | 'remediation'>): ActionResult[] {
  const at = actions.findIndex(({ name }) => name === plan.name);
  const later = actions.slice(at + 1);
  return later.flatMap(({ name }) => earlier.find((one) => one.action === name && isDone(one)) ?? []);
}

/** The actions that are still to be started, or refused by their own `onlyIf`, after this one. */
export function toComeAfter(request: Pick<ActionRequest<ActionPlan>, 'plan' | 'remediation'>): ActionPlan[] {
  const { plan, remediation } = request;
  const at = remediation.actions.findIndex(({ name }) => name === plan.name);
  const done = doneAfter(request).map(({ action }) => action);
  return remediation.actions.slice(at + 1).filter(({ name, refused }) => refused === undefined && !done.includes(name));
}
