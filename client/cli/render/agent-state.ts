import type { StartedAgent } from '#contract/remediation.js';
import type { ActionState, RemediationDetail } from '../../remediation-views.js';
import { clock } from '../terminal/times.js';

/** How the agent of an action stands. Nobody is to think that the mesh has lost one that it is with. */
export function agentState(
  { outcome, mayNotExist }: Pick<StartedAgent, 'outcome' | 'mayNotExist'>,
  state: ActionState,
  detail: RemediationDetail,
  now: number,
): string {
  // Its time limit may have been over before anybody knew.
  if (mayNotExist && (outcome === 'running' || outcome === 'timeout')) return PERHAPS_STARTED;
  if (outcome !== 'running' || !isAtWork(state, detail)) return AGENT_OUTCOMES[outcome];
  const { agentAtWork: known } = detail;
  if (known?.action !== state.action) return 'at work';
  return `at work since ${clock(known.sinceAt, now)}, until ${clock(known.untilAt, now)} at most`;
}

const AGENT_OUTCOMES: Record<StartedAgent['outcome'], string> = {
  running: 'started, its end is not known',
  success: 'ended well',
  failed: 'failed',
  timeout: 'ran out of time',
};

const PERHAPS_STARTED = 'may have been started, its end is not known';

/** Between two attempts it is that of the attempt before, of which there is no telling. */
function isAtWork(state: ActionState, { outcome, retrying = [] }: RemediationDetail): boolean {
  if (outcome !== 'running' || state.status !== 'running') return false;
  const isBetweenAttempts = retrying.some((one) => one.action === state.action && one.state !== 'running');
  // A launcher that puts the launch off says that it waits.
  return !isBetweenAttempts && !isPutOff(state);
}

function isPutOff(state: ActionState): boolean {
  return 'doing' in state && (state.doing?.is === 'waiting-for-slot' || state.doing?.is === 'waiting-to-retry');
}
