import type { MeshEvent } from './event.js';

export const ACTION_STATUSES = ['executed', 'skipped', 'failed', 'aborted'] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

/** How a whole remediation ended: the worst of its actions. */
export type RemediationOutcome = ActionStatus;

export interface RetryPlan {
  maxAttempts: number;
  initialIntervalMs: number;
  maxIntervalMs: number;
}

interface PlanOf<Type extends string> {
  type: Type;
  name: string;
  effectKey: string;
  timeoutMs: number;
  retry: RetryPlan;
}

export type SpawnPlan = PlanOf<'spawn_fallback_agent'> & {
  description?: string;
  promptTemplate?: string;
  agentType?: string;
  model?: string;
};

export type NotifyPlan = PlanOf<'notify_team'> & {
  teamName?: string;
  recipients?: string[];
  summary?: string;
  messageTemplate?: string;
};

export type WarmPlan = PlanOf<'warm_remote_capacity'> & { createDefaultEnvironmentIfMissing?: boolean };

export type ActionPlan = SpawnPlan | NotifyPlan | WarmPlan;
export type ActionType = ActionPlan['type'];

/** Everything a remediation needs, fixed when its rule fired: later edits of the rules do not reach it. */
export interface RemediationInput {
  id: string;
  rule: string;
  rulesetHash: string;
  firedAt: number;
  event: MeshEvent;
  actions: ActionPlan[];
  /** When an operator had it retried: what the runs before came to. Actions named here are not run again. */
  earlier?: ActionResult[];
}

export interface ActionResult {
  action: string;
  type: ActionType;
  status: ActionStatus;
  /** Why it was skipped, failed or aborted. */
  reason?: string;
  /** What it did. */
  detail?: string;
  attempts: number;
}

/** A remediation as it stands. */
export interface RemediationProgress {
  outcome: RemediationOutcome | 'running';
  actions: (ActionResult | { action: string; type: ActionType; status: 'running' | 'waiting' })[];
}

export interface RemediationResult {
  outcome: RemediationOutcome;
  actions: ActionResult[];
}
