import type { ActionPlan } from '#contract/actions/index.js';
import type { ActionRequest } from '#contract/activities.js';
import type { ActionResult } from '#contract/remediation.js';
import { doneAfter } from './done-after.js';
import { joinLines } from '#contract/text/plain-text.js';
import { toComeAfter } from './to-come-after.js';

/**
 * How it stands, in the one line that whoever is woken reads first: whether it may be mended, and whether the mesh is still at
 * it. Made of what the actions before came to; only failures are mended, so only their messages have one.
 */
export function verdictOf(request: ActionRequest<ActionPlan>): string | undefined {
  const { soFar, pending } = request;
  const { event, actions } = request.remediation;
  if (event.outcome !== 'failed' && event.outcome !== 'timeout') return undefined;
  const mending = actions.filter(({ type }) => type !== 'notify_team').map(({ name }) => name);
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
  return `${SAID[state]}${told}.${endOf(state, perhaps, rest.length === 0)}`;
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

/** What is left to come, or that nothing is and somebody else has to mend it. */
function endOf(state: State, perhaps: string[], isLast: boolean): string {
  if (perhaps.length > 0) return ` ${perhaps.join(', ')} may come next.`;
  if (!isLast || state === 'at work') return '';
  const who = state === 'untried' ? 'It' : 'The mesh';
  const isYours = state === 'untried' || state === 'none';
  return ` ${who} starts nothing more${isYours ? ': it is yours now' : ''}.`;
}

/** An agent can mend what broke. Capacity, and whatever else there may be, only helps the next attempt. */
function chanceOf(results: ActionResult[]): Chance {
  const agents = results.filter(({ type }) => type === 'spawn_fallback_agent');
  const looked = agents.length > 0 ? agents : results;
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
      if (type !== 'spawn_fallback_agent') return `${name} worked`;
      if (agent?.outcome === 'success') return `${joinLines(agent.launcher)} ended well`;
      return `${joinLines(agent?.launcher ?? name)} was started and nobody waits for its end`;
  }
}
