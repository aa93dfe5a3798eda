import type { ActionPlan } from '../../../../contract/actions/index.js';
import type { ActionRequest } from '../../../../contract/activities.js';
import { duration } from '../../../../contract/duration.js';
import type { NotificationMessage } from '../../../../contract/notification.js';
import type {
  ActionResult,
  DeliveryRecord,
  Launch,
  PendingAction,
  StartedAgent,
} from '../../../../contract/remediation.js';

type Did = NotificationMessage['did'][number];

/** What became of each action before this one: whoever is woken should not begin with finding that out. */
export function didSoFar({ plan, remediation, soFar, pending }: ActionRequest<ActionPlan>): Did[] {
  const names = remediation.actions.map(({ name }) => name);
  const before = remediation.actions.slice(0, names.indexOf(plan.name));
  return before.map((action) => {
    const { name, type } = action;
    const result = soFar.find(({ action: done }) => done === name);
    if (result) return { action: name, type, ...tellResult(result, action) };
    return { action: name, type, ...tellPending(pending.find(({ action: open }) => open === name)) };
  });
}

function tellResult(result: ActionResult, plan: ActionPlan): Told {
  const { status, reason, detail, attempts, launches = [], agent, deliveries = [] } = result;
  // Then the reason is made of theirs.
  const allFailed = launches.length > 1 && launches.every(({ status }) => status === 'failed');
  const isNew = (text: string | undefined) => text === undefined || reason?.includes(text) !== true;
  const failed = launches.filter((launch) => launch.status === 'failed' && (allFailed || isNew(launch.reason)));
  return told(status, [
    allFailed ? undefined : withAttempts(reason, launches.length > 1 ? 1 : attempts),
    ...failed.map(tellLaunch),
    ...(agent ? tellAgent(agent, status !== 'failed') : [detail]),
    status === 'executed' ? tellLease(plan) : undefined,
    ...deliveries.filter((one) => one.status !== 'delivered' && isNew(one.error)).map(tellMissed),
  ]);
}

function withAttempts(reason: string | undefined, attempts: number): string | undefined {
  if (attempts < 2) return reason;
  return reason === undefined ? `after ${attempts} attempts` : `${reason} (after ${attempts} attempts)`;
}

/** An action the remediation does not speak of is one it has just begun. */
function tellPending(action: PendingAction | undefined): Told {
  const { status = 'running', note, launches = [], agent } = action ?? {};
  return told(status, [note, ...launches.map(tellLaunch), ...(agent ? tellAgent(agent, true) : [])]);
}

type Told = Pick<Did, 'state' | 'text'>;

const MAX_DETAIL_CHARS = 1_500;

function told(state: string, parts: (string | undefined | false)[]): Told {
  const texts = parts.filter((part) => typeof part === 'string' && part !== '').map((part) => shorten(String(part)));
  return { state, ...(texts.length > 0 && { text: texts.join('\n') }) };
}

function shorten(text: string): string {
  return text.length <= MAX_DETAIL_CHARS ? text : `${text.slice(0, MAX_DETAIL_CHARS).toWellFormed()}…`;
}

function tellLaunch({ launcher, reason, attempts }: Launch): string {
  return `${launcher}: ${withAttempts(reason ?? 'failed', attempts)}`;
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

/** Whoever relies on capacity must know that it goes away. A plan of an earlier version does not say when. */
function tellLease(plan: ActionPlan): string | undefined {
  if (plan.type !== 'warm_remote_capacity' || plan.forMs === undefined) return undefined;
  return `at least ${plan.ensure} for ${duration(plan.forMs)}, then given back`;
}

function tellMissed({ delivery, status, error }: DeliveryRecord): string {
  return `${delivery}: ${status}${error === undefined ? '' : `, ${error}`}`;
}
