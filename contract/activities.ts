import type { ActionPlan } from './actions/index.js';
import type { NotifyPlan } from './actions/notify-team/schema.js';
import type { SpawnPlan } from './actions/spawn-fallback-agent/schema.js';
import type { WarmPlan } from './actions/warm-remote-capacity/schema.js';
import type { MatchedBatch, MatchRequest } from './matched.js';
import type { MeshEvent } from './event.js';
import type { Lease, RestorePoint } from './lease.js';
import type { Notice } from './notice.js';
import type { DeliveryRequest, NotificationDraft } from './notification.js';
import type { ActionResult, PendingAction, Quiet, RemediationInput, StartedAgent } from './remediation.js';
import type { SlotTicket } from './slots.js';

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
  /** Each once, however many rules it fires: this is recorded. */
  events: MeshEvent[];
  fires: (Omit<Fire, 'event'> & { eventIndex: number })[];
}

export interface Fire {
  /** Its depth and lineage are what the watch found them to be, whatever the reporter said. */
  event: MeshEvent;
  rule: string;
  actions: string[];
  refused?: Refusal[];
  quiet?: Quiet;
  path?: string[];
}

/** An action that a limit of the chain kept from firing with the others of its rule. */
export interface Refusal {
  action: string;
  reason: string;
}

/** `unavailable`: why the rules cannot be had just now; ask again when they can. */
export type StartAnswer = { remediation: string } | { error: string } | { unavailable: string[] };

/** What a remediation asks of the world. */
export interface ActionActivities {
  spawnFallbackAgent(request: SpawnRequest): Promise<SpawnAnswer>;
  endFallbackAgent(request: EndRequest): Promise<EndAnswer>;
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
  /** Takes the capacity once more, in case it was given back while somebody asked for it. */
  reacquireCapacity(lease: Lease): Promise<ActionReport & { restorePoint?: RestorePoint }>;
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
  /** Of capacity that was asked for: until when its lease keeps it. */
  leaseUntilAt?: number;
  /** Why the attempt before this one failed, of an activity that passes it on. */
  lastError?: string;
}

export type SpawnRequest = ActionRequest<SpawnPlan> & {
  /** Which of the launchers of the agent type; none: the first. */
  launcher?: string;
  /** Launchers that have failed already. Should the wanted one be gone from the configuration, the next is none of these. */
  tried?: string[];
  /** When the action began: the same for all its attempts, whichever activity they are of. */
  startedAt: number;
  /** What the activity before this one has left behind, if it only put the launch off. */
  earlier?: AttemptDetails;
};

/**
 * `busy`, `delayed`: ask again, in another activity; neither uses up an attempt. `launched`: the agent runs elsewhere and goes
 * on. `finished`: it has ended well. An agent that ended badly is a failure of the activity, whose details name the launcher
 * to try next.
 */
export type SpawnAnswer =
  | PutOff
  | {
      state: 'launched' | 'finished';
      agent: StartedAgent;
      detail: string;
      attempts: number;
      next?: string;
      /** The time limit of the launcher, if it has one: for whoever waits for the end of an agent elsewhere. */
      timeoutMs?: number;
      /** Its slot, to be given back: when the agent elsewhere has ended, or now, because the activity could not. */
      slot?: SlotTicket;
    };

export type PutOff = {
  next?: string;
  /** Attempts that failed before: the next activity has so many fewer. */
  attempts?: number;
  /** What an attempt has left behind: an agent elsewhere that may be at work. */
  earlier?: AttemptDetails;
} & (
  | {
      /** Every slot of the launcher is taken: ask again when it is its turn. */
      state: 'busy';
      launcher: string;
      slots: number;
      /** Its place in line. */
      slot: SlotTicket;
    }
  | {
      /** Something that no attempt is to blame for is in the way. */
      state: 'delayed';
      reason: string;
      /** Known once the configuration can be read. */
      launcher?: string;
      /** It may have this slot, or stand in line for it. */
      slot?: SlotTicket;
    }
);

/** An agent whose remediation was aborted while no attempt was there to end it. */
export type EndRequest = Omit<SpawnRequest, 'launcher'> & { agent: StartedAgent };

/** What has become of it; `mayStillRun`: it cannot be ended from here, or does not end. */
export interface EndAnswer {
  agent: StartedAgent;
  mayStillRun?: true;
}

/** Travels in heartbeats and failure details, since a failed activity does not tell the workflow how often it was tried. */
export interface AttemptDetails {
  attempts: number;
  detail?: string;
  process?: { pid: number; host: string };
  /** The launcher that was tried, and the one to try when this one fails for good. */
  launcher?: string;
  next?: string;
  agent?: StartedAgent;
  /** It runs elsewhere if it was started, and may be at work whatever becomes of the attempt: no other is started beside it. */
  mayStillRun?: true;
  /** What kind of launcher has asked for it elsewhere: one of another kind would start a second one. */
  askedBy?: string;
  /** The session that a service was asked for an agent with, and which it has declined to start. */
  declinedSession?: string;
  /** Of a delivery: how many attempts so far may have reached the receiver, who never said so. */
  perhapsArrived?: number;
  /** Of a delivery: why the last attempt that failed did, without secrets. */
  lastError?: string;
  /** The slot that it holds, or is about to ask for: a worker that dies does not give it back. */
  slot?: SlotTicket;
}
