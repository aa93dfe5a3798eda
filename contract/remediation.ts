import type { ActionPlan } from './actions/index.js';
import type { MeshEvent } from './event.js';
import type { ActionResult, ActionStatus, AgentOutcome, StartedAgent } from './views/actions.js';

export type {
  ActionResult,
  ActionStatus,
  AgentOutcome,
  DeliveryRecord,
  Doing,
  Launch,
  LaunchedAgent,
  PendingAction,
  RemediationProgress,
  StartedAgent,
} from './views/actions.js';
export type { RetryPlan } from './actions/of-every-action.js';

/** How a whole remediation ended: aborted if it was, else as the worst of its actions. */
export type RemediationOutcome = ActionStatus;

/** Everything a remediation needs, fixed when its rule fired: later edits of the rules do not reach it. */
export interface RemediationInput {
  id: string;
  rule: string;
  rulesetHash: string;
  firedAt: number;
  event: MeshEvent;
  actions: ActionPlan[];
  /** Until when the rule stays quiet because it has fired now, and for which values of `cooldownBy`. */
  quiet?: Quiet;
  /** What is taken for a repetition because the rule has fired now. */
  repeats?: Repeats;
  /** The rules that fired on the way from the first event of the chain to this one, this one not among them. */
  path?: string[];
  /** When an operator had it retried: what the runs before came to. Actions that are done in here are not run again. */
  earlier?: ActionResult[];
  /** Somebody started it by hand, with `mesh try`: past the guards, which know nothing of it. */
  isTry?: true;
}

export interface Quiet {
  cooldownUntilAt: number;
  label?: string;
}

export interface Repeats {
  /** The `dedupBy` of the rule; none: events are equal as a whole. */
  by?: string[];
  /** Until when an equal event does not run an action again. */
  until: { action: string; untilAt: number }[];
}

export interface RemediationResult {
  outcome: RemediationOutcome;
  actions: ActionResult[];
}

/** Signals to a remediation: what became of the agent of one of its actions. */
export type AgentNews = { action: string } &
  /** About to be asked for elsewhere: from now on there may be one. */
  (
    | { state: 'asked'; agent: StartedAgent; attempt: string }
    /** What that attempt has asked for was surely not started. Another may have started one all the same. */
    | { state: 'not-started'; attempt: string }
    | { state: 'launched'; agent: StartedAgent }
    | {
        state: 'finished';
        agentId: string;
        /** All by which the watch knows this agent, the session that was chosen for it among them. */
        ids: string[];
        outcome: AgentOutcome;
        outputTail?: string;
      }
  );

/** Whether a retry leaves the action alone. A failed or aborted one is run once more. */
export function isDone({ status }: Pick<ActionResult, 'status'>): boolean {
  return status === 'executed' || status === 'skipped';
}
