import type { OpenIncident } from './notification.js';
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
  suppressed: Suppressed;
}

export interface Suppressed {
  events: number;
  firstAt: number;
  lastAt: number;
  /** The first ones; `moreSessions` were not noted by name. */
  sessions: string[];
  moreSessions: number;
}

/** What was broken works again. */
export interface ResolveNotice {
  kind: 'resolve';
  id: string;
  tenant: string;
  rule: string;
  at: number;
  incident: OpenIncident;
  by: { event: string; eventId: string };
}

/** What became of a notice. */
export interface NoticeResult {
  outcome: RemediationOutcome;
  reason?: string;
  detail?: string;
  attempts: number;
  deliveries?: DeliveryRecord[];
}
