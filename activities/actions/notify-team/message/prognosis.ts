import type { ActionPlan } from '#contract/actions/index.js';
import type { ActionRequest } from '#contract/activities.js';
import type { NotificationMessage } from '#contract/notification.js';
import type { ActionResult } from '#contract/remediation.js';
import { joinLines } from '#contract/text/plain-text.js';
import { tellerOf } from '../../tellers.js';
import { doneAfter, toComeAfter } from './so-far.js';

/**
 * How it stands, in the one line that whoever is woken reads first: whether it may be mended, and whether the mesh is still at
 * it. Made of what the actions before came to; only failures are mended, so only their messages have one.
 */
export function prognosisOf(
  request: ActionRequest<ActionPlan>,
): Pick<NotificationMessage, 'prognosis' | 'prognosisSaysEnd'> {
  const { soFar, pending } = request;
  const { event, actions } = request.remediation;
  if (event.outcome !== 'failed' && event.outcome !== 'timeout') return {};
  const mending = actions.filter(({ type }) => tellerOf(type).part !== 'no-part').map(({ name }) => name);
  const isMending = ({ action }: { action: string }) => mending.includes(action);
  const rest = toComeAfter(request);
  const results = [...soFar, ...doneAfter(request)]
    .filter(isMending)
    .filter(({ status, attempts }) => status !== 'skipped' || attempts > 0);
  const atWork = pending.filter(isMending).map(({ action }) => joinLines(action));
  const after = rest.filter(({ name }) => mending.includes(name));
  const toCome = after.filter(({ onlyIf }) => onlyIf === undefined);
  // Whether these run is not known yet: nobody should wait for them.
  const perhaps = after.filter(({ onlyIf }) => onlyIf !== undefined).map(({ name }) => joinLines(name));

  const isAtWork = atWork.length > 0 || toCome.length > 0;
  const state = isAtWork ? 'at work' : results.length === 0 ? 'untried' : chanceOf(results);
  const parts = [
    ...results.map(tellResult),
    ...(atWork.length > 0 ? [`${atWork.join(', ')} not done yet`] : []),
    ...toCome.map(({ name }) => `${joinLines(name)} comes next`),
  ];
  const told = parts.length === 0 ? '' : `: ${parts.join(', ')}`;
  const first = `${SAID[state]}${told}.`;
  if (perhaps.length > 0) return { prognosis: `${first} ${perhaps.join(', ')} may come next.` };
  if (rest.length > 0 || state === 'at work') return { prognosis: first };
  return { prognosis: `${first} ${endOf(state)}`, prognosisSaysEnd: true };
}

type State = 'at work' | 'untried' | Chance;
type Chance = 'good' | 'open' | 'none';

const SAID: Record<State, string> = {
  'at work': 'Still at work',
  untried: 'The mesh has tried nothing',
  good: 'May be mended',
  open: 'Nobody knows yet whether it is mended',
  none: 'Not mended',
};

/** Nothing is left to come, and somebody else may have to mend it. */
function endOf(state: State): string {
  const who = state === 'untried' ? 'It' : 'The mesh';
  const isYours = state === 'untried' || state === 'none';
  return `${who} starts nothing more${isYours ? ': it is yours now' : ''}.`;
}

function chanceOf(results: ActionResult[]): Chance {
  const mending = results.filter(({ type }) => tellerOf(type).part === 'mends');
  const looked = mending.length > 0 ? mending : results;
  if (looked.some(({ status, agent }) => status === 'executed' && agent?.outcome === 'success')) return 'good';
  return looked.some((one) => one.status === 'executed' || mayBeAtWork(one)) ? 'open' : 'none';
}

/** Also after a failure: nobody could be told that it started, or it could not be ended. */
function mayBeAtWork({ agent }: ActionResult): boolean {
  return agent?.outcome === 'running';
}

function tellResult(result: ActionResult): string {
  const { action, type, status, agent } = result;
  const name = joinLines(action);
  const still = mayBeAtWork(result) ? `, but ${joinLines(agent?.launcher ?? 'its agent')} may still be at work` : '';
  switch (status) {
    case 'failed':
      return `${name} failed${still}`;
    case 'aborted':
    case 'skipped':
      return `${name} was ${status}${still}`;
    case 'executed':
      return tellerOf(type).tellDone?.(result) ?? `${name} worked`;
  }
}
