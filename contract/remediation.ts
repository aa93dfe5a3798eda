import type { ActionPlan, ActionType } from './actions/index.js';
import type { MeshEvent } from './event.js';

export const ACTION_STATUSES = ['executed', 'skipped', 'failed', 'aborted'] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

/** How a whole remediation ended: aborted if it was, else as the worst of its actions. */
export type RemediationOutcome = ActionStatus;

export interface RetryPlan {
  /** None: as often as there is time for. */
  maxAttempts?: number | undefined;
  initialIntervalMs: number;
  maxIntervalMs: number;
}

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
  /** What is taken for a repetition because the rule has fired now. Older runs did not say. */
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

export interface ActionResult {
  action: string;
  type: ActionType;
  status: ActionStatus;
  /** Why it was skipped, failed or aborted. */
  reason?: string;
  /** What it did. */
  detail?: string;
  /** 0 where none began, and of what was aborted also where nobody knows how many did. */
  attempts: number;
  /** For capacity: until when its lease keeps it, others may for longer. Older results do not say. */
  leaseUntilAt?: number;
  /** For an agent: every launcher that was tried, in order. */
  launches?: Launch[];
  /** The agent that was started, and what is known of its end. */
  agent?: StartedAgent;
  /** For a notification: what became of each delivery. */
  deliveries?: DeliveryRecord[];
}

export interface Launch {
  launcher: string;
  status: 'launched' | 'failed';
  /** Why it failed, or why the action failed while its agent may go on. */
  reason?: string;
  attempts: number;
  /** What is known of its agent: what a retry goes by. */
  agent?: LaunchedAgent;
  /** The end of what its agent said, without secrets, when another was tried after it. That of the last stands with the action. */
  lastWords?: string;
}

export type LaunchedAgent = Pick<StartedAgent, 'id' | 'session' | 'outcome'>;

/** `running`: it was started, and nobody waits for its end or it has not come. */
export type AgentOutcome = 'running' | 'success' | 'failed' | 'timeout';

export interface StartedAgent {
  launcher: string;
  /** As the launcher calls it. */
  id?: string;
  /** The session it works in, when the mesh chose or was told it. */
  session?: string;
  outcome: AgentOutcome;
  /** The end of what it said, without secrets. */
  outputTail?: string;
  /** It was asked for elsewhere, and nobody knows whether it was started. */
  mayNotExist?: true;
}

export interface DeliveryRecord {
  /** `<channel>/<recipient>`, unique within the action: what a retry goes by. */
  delivery: string;
  channel: string;
  recipient: string;
  /** `skipped`: there was no need for it any more. */
  status: 'delivered' | 'failed' | 'aborted' | 'skipped';
  attempts: number;
  detail?: string;
  /** The last error, without secrets; or why it was skipped. */
  error?: string;
}

/** An action that is not done. */
export interface PendingAction {
  action: string;
  type: ActionType;
  status: 'running' | 'waiting';
  /** Of one that runs: since when. */
  sinceAt?: number;
  /** What it does just now, if that is not its work itself. */
  doing?: Doing;
  /** Launchers that were tried in vain so far. */
  launches?: Launch[];
  agent?: StartedAgent;
  /** Deliveries that are over so far. */
  deliveries?: DeliveryRecord[];
}

export type Doing =
  /** Every slot of the launcher is taken. */
  | { is: 'waiting-for-slot'; launcher: string; slots: number }
  /** Something that no attempt is to blame for is in the way. */
  | { is: 'waiting-to-retry'; reason: string }
  /** The agent, as people call it, runs elsewhere and has until then to end. */
  | { is: 'waiting-for-end'; agent: string; untilAt: number }
  /** These deliveries are not over, and are tried until then at the latest. */
  | { is: 'delivering'; open: string[]; untilAt: number }
  | { is: 'writing' };

/** A remediation as it stands. */
export interface RemediationProgress {
  outcome: RemediationOutcome | 'running';
  actions: (ActionResult | PendingAction)[];
}

export interface RemediationResult {
  outcome: RemediationOutcome;
  actions: ActionResult[];
}

/** Signals to a remediation: what became of the agent of one of its actions. */
export type AgentNews = { action: string } &
  /** About to be asked for elsewhere: from now on there may be one. Older ones do not say by which attempt. */
  (
    | { state: 'asked'; agent: StartedAgent; attempt?: string }
    /** What that attempt has asked for was surely not started. Another may have started one all the same. */
    | { state: 'not-started'; attempt: string }
    | { state: 'launched'; agent: StartedAgent }
    | {
        state: 'finished';
        agentId: string;
        /** All by which the watch knows this agent, the session that was chosen for it among them. Older ones do not say. */
        ids?: string[];
        outcome: AgentOutcome;
        outputTail?: string;
      }
  );
