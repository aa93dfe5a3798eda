import type { OpenAlert } from './notification.js';
import type { DeliveryRecord, RemediationOutcome } from './remediation.js';

/** A message that no single event brought about. The workflow `notice` sends it. */
export type Notice = DigestNotice | ResolveNotice;

/** What a cooldown that has ended kept quiet. */
export interface DigestNotice {
  kind: 'digest';
  id: string;
  tenant: string;
  rule: string;
  at: number;
  /** For which values of `cooldownBy`. */
  label?: string;
  /** What the rule fired for when the cooldown began. Absent when it told nobody at that time. */
  about?: FiredFor;
  suppressed: Suppressed;
}

/**
 * What messages about one incident have in common. The id of the event is in there only if it names neither a task nor a session,
 * or if it matters whom its remediation has told.
 */
export interface FiredFor {
  session?: string;
  task?: string;
  event?: string;
  /** The team that the event named: who was told of it, where the rule names none. */
  team?: string;
}

export interface Suppressed {
  events: number;
  firstAt: number;
  lastAt: number;
  /** The first ones; `moreSessions` were not noted by name. */
  sessions: string[];
  moreSessions: number;
  /** Of the last one that said either. */
  last?: { tool?: string; error?: string };
}

/** What an alert was about works again. */
export interface ResolveNotice {
  kind: 'resolve';
  id: string;
  tenant: string;
  rule: string;
  at: number;
  alert: OpenAlert;
  by: { event: string; eventId: string };
}

/** What the workflow is given. */
export type NoticeInput = Notice & {
  /** When an operator had it retried: what the runs before have delivered, which is not delivered again. */
  delivered?: DeliveryRecord[];
};

/** What became of a notice. */
export interface NoticeResult {
  outcome: RemediationOutcome;
  reason?: string;
  detail?: string;
  attempts: number;
  deliveries?: DeliveryRecord[];
}
