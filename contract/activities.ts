import type { MatchedBatch, MatchRequest } from './matched.js';
import type { MeshEvent } from './event.js';
import type { ActionResult, NotifyPlan, RemediationInput, SpawnPlan, WarmPlan } from './remediation.js';

/** What the watch asks of the world. */
export interface WatchActivities {
  matchEvents(request: MatchRequest): Promise<MatchedBatch>;
  startRemediations(request: StartRequest): Promise<StartAnswer[]>;
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
  event: MeshEvent;
  rule: string;
  actions: string[];
}

export type StartAnswer = { remediation: string } | { error: string };

/** What a remediation asks of the world: one activity per action, per recipient for notifications. */
export interface ActionActivities {
  spawnFallbackAgent(request: ActionRequest<SpawnPlan>): Promise<ActionReport>;
  composeNotification(request: ActionRequest<NotifyPlan>): Promise<NotificationDraft>;
  deliverNotification(request: Delivery): Promise<ActionReport>;
  warmRemoteCapacity(request: ActionRequest<WarmPlan>): Promise<ActionReport>;
}

export interface ActionRequest<Plan> {
  plan: Plan;
  remediation: RemediationInput;
  /** What the actions before this one came to, as far as known. */
  soFar: ActionResult[];
}

export interface ActionReport {
  status: 'executed' | 'skipped';
  reason?: string;
  detail?: string;
  attempts: number;
}

export type NotificationDraft =
  | { status: 'skipped'; reason: string }
  | { status: 'ready'; message: NotificationMessage; recipients: Recipient[]; note?: string };

export interface NotificationMessage {
  subject: string;
  text: string;
}

export interface Recipient {
  name: string;
  address: string;
}

export interface Delivery {
  effectKey: string;
  /** All messages about one incident (rule and session or event) share this, so that mail clients show one thread. */
  threadKey: string;
  recipient: Recipient;
  message: NotificationMessage;
  timeoutMs: number;
}

/** Travels in heartbeats and failure details, since a failed activity does not tell the workflow how often it was tried. */
export interface AttemptDetails {
  attempts: number;
  detail?: string;
  process?: { pid: number; host: string };
}
