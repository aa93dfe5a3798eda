import type { ActionPlan } from './actions/index.js';
import type { NotifyPlan } from './actions/notify-team/schema.js';
import type { SpawnPlan } from './actions/spawn-fallback-agent/schema.js';
import type { WarmPlan } from './actions/warm-remote-capacity/schema.js';
import type { AgentKnown } from './attempt.js';
import type { MatchedBatch, MatchRequest } from './matched.js';
import type { MeshEvent } from './event.js';
import type { Lease, RestorePoint } from './lease.js';
import type { Notice } from './notice.js';
import type { DeliveryRequest, NotificationDraft } from './notification.js';
import type { ActionResult, PendingAction, Quiet, RemediationInput, StartedAgent } from './remediation.js';
import type { SlotHolder } from './slots.js';

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
  askForSlot(question: SlotQuestion): Promise<AskedSlot>;
  spawnFallbackAgent(request: SpawnRequest): Promise<SpawnAnswer>;
  endFallbackAgent(request: EndRequest): Promise<AgentKnown>;
  composeNotification(request: ActionRequest<NotifyPlan>): Promise<NotificationDraft>;
  deliverNotification(request: DeliveryRequest): Promise<ActionReport>;
  warmRemoteCapacity(request: ActionRequest<WarmPlan>): Promise<ActionReport>;
}

/** What the workflows that keep slots ask of the world. */
export interface SlotsActivities {
  /** Those whose remediations are closed, as after a termination: nobody gives back what they have. */
  findClosed(holders: SlotHolder[]): Promise<SlotHolder[]>;
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
  /** The message was only written to a file of the worker: nobody has received it. */
  isFile?: true;
}

/** Which launcher is to be tried, so that a slot of it can be asked for. */
export interface SlotQuestion {
  /** Effect key of the action. */
  key: string;
  agentType?: string;
  /** Which of the launchers of the agent type; none: the first. */
  launcher?: string;
  /** Launchers that have failed already. Should the wanted one be gone from the configuration, the next is none of these. */
  tried: string[];
}

/** The remediation stands in line now, and is told when it is its turn. */
export interface AskedSlot {
  launcher: string;
  /** It is tried in the place of the one that the rule asks for. */
  isFallback: boolean;
  /** The launcher to try when this one fails for good. */
  next?: string;
  /** The workflow that keeps the slots. */
  slots: string;
  /** How many agents the launcher runs at a time. */
  max: number;
}

export type SpawnRequest = ActionRequest<SpawnPlan> & {
  launcher: string;
  isFallback: boolean;
  /** When the action began: the same for all its attempts, whichever activity they are of. */
  startedAt: number;
  /** What the activity before this one has left behind, if it only put the launch off. */
  earlier?: AgentKnown;
};

/**
 * `delayed`: something that no attempt is to blame for is in the way, ask again later, in another activity. `launched`: the
 * agent runs elsewhere and goes on. `finished`: it has ended well. An agent that ended badly is a failure of the activity.
 */
export type SpawnAnswer = Delayed | LaunchedAnswer;

export interface Delayed {
  state: 'delayed';
  reason: string;
  /** Attempts that failed before: the next activity has so many fewer. */
  attempts: number;
  /** What is known of an agent elsewhere. */
  known: AgentKnown;
}

export interface LaunchedAnswer {
  state: 'launched' | 'finished';
  agent: StartedAgent;
  detail: string;
  attempts: number;
  /** The time limit of the launcher, if it has one: for whoever waits for the end of an agent elsewhere. */
  timeoutMs?: number;
}

/** An agent whose remediation was aborted while no attempt was there to end it. The answer is what has become of it. */
export type EndRequest = ActionRequest<SpawnPlan> & { agent: StartedAgent };
