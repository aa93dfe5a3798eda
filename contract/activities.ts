import type { ActionPlan } from './actions/index.js';
import type { NotifyPlan } from './actions/notify-team/schema.js';
import type { SpawnPlan } from './actions/spawn-fallback-agent/schema.js';
import type { WarmPlan } from './actions/warm-remote-capacity/schema.js';
import type { MatchedBatch, MatchRequest } from './matched.js';
import type { MeshEvent } from './event.js';
import type { Lease } from './lease.js';
import type { Notice } from './notice.js';
import type { DeliveryRequest, NotificationDraft } from './notification.js';
import type { ActionResult, PendingAction, Quiet, RemediationInput, StartedAgent } from './remediation.js';

/** What the watch asks of the world. */
export interface WatchActivities {
  matchEvents(request: MatchRequest): Promise<MatchedBatch>;
  startRemediations(request: StartRequest): Promise<StartAnswer[]>;
  /** Starts a workflow for each message that no event brought about. */
  startNotices(notices: Notice[]): Promise<void>;
  /** Fails, and is retried by the server, until the tenant's rules can be had. */
  awaitRules(tenant: string): Promise<void>;
}

export interface StartRequest {
  tenant: string;
  rulesetHash: string;
  firedAt: number;
  fires: Fire[];
}

export interface Fire {
  /** Its depth and lineage are what the watch found them to be, whatever the reporter said. */
  event: MeshEvent;
  rule: string;
  actions: string[];
  quiet?: Quiet;
  path?: string[];
}

export type StartAnswer = { remediation: string } | { error: string };

/** What a remediation asks of the world. */
export interface ActionActivities {
  spawnFallbackAgent(request: SpawnRequest): Promise<SpawnAnswer>;
  composeNotification(request: ActionRequest<NotifyPlan>): Promise<NotificationDraft>;
  deliverNotification(request: DeliveryRequest): Promise<ActionReport>;
  warmRemoteCapacity(request: ActionRequest<WarmPlan>): Promise<ActionReport>;
}

/** What the workflows of messages that no event brought about ask of the world. */
export interface NoticeActivities {
  composeNotice(notice: Notice): Promise<NotificationDraft>;
}

/** What the workflow that keeps a lease on capacity asks of the world. */
export interface LeaseActivities {
  releaseCapacity(lease: Lease): Promise<ActionReport>;
}

export interface ActionRequest<Plan extends ActionPlan> {
  plan: Plan;
  remediation: RemediationInput;
  /** What the actions before this one came to, as far as they are done. */
  soFar: ActionResult[];
  /** Those of them that are not done. */
  pending: PendingAction[];
}

export interface ActionReport {
  status: 'executed' | 'skipped';
  reason?: string;
  detail?: string;
  attempts: number;
}

export type SpawnRequest = ActionRequest<SpawnPlan> & {
  /** Which of the launchers of the agent type; none: the first. */
  launcher?: string;
};

/**
 * `busy`: every slot of the launcher is taken, ask again later. `launched`: the agent runs elsewhere and goes on. `finished`:
 * it has ended well. An agent that ended badly is a failure of the activity, whose details name the launcher to try next.
 */
export type SpawnAnswer =
  | {
      state: 'busy';
      launcher: string;
      slots: number;
      next?: string;
      /** Attempts that failed before: the next activity has so many fewer. */
      attempts?: number;
    }
  | {
      state: 'launched' | 'finished';
      agent: StartedAgent;
      detail: string;
      attempts: number;
      next?: string;
      /** The time limit of the launcher, if it has one: for whoever waits for the end of an agent elsewhere. */
      timeoutMs?: number;
    };

/** Travels in heartbeats and failure details, since a failed activity does not tell the workflow how often it was tried. */
export interface AttemptDetails {
  attempts: number;
  detail?: string;
  process?: { pid: number; host: string };
  /** The launcher that was tried, and the one to try when this one fails for good. */
  launcher?: string;
  next?: string;
  agent?: StartedAgent;
}
