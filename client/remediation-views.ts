import type { ActionPlan, RemediationOutcome, RemediationProgress } from '../contract/remediation.js';
import type { MeshEvent } from '../contract/event.js';

/** Remediations on a page of a list. */
export const DEFAULT_PAGE = 50;
export const MAX_PAGE = 200;

/** Which remediations to list; what is absent does not matter. */
export interface RemediationFilter {
  /** Default: `default`. */
  tenant?: string;
  rule?: string;
  outcome?: RemediationOutcome | 'running';
  /** Found only when the session is a plain name: others are not stored in clear. */
  session?: string;
  /** From 1 to 200; default 50. */
  limit?: number;
  /** `nextPage` of the page before. */
  page?: string;
}

/** One remediation, as lists show it. */
export interface RemediationSummary {
  /** `remediation/<tenant>/<rule>/<event id>`, as in the Temporal UI. */
  id: string;
  /** The run: a retried remediation has several. */
  runId: string;
  tenant: string;
  rule: string;
  eventId: string;
  event?: string;
  tool?: string;
  session?: string;
  source?: string;
  depth?: number;
  outcome: RemediationOutcome | 'running' | 'terminated' | 'timed-out';
  startedAt: number;
  closedAt?: number;
}

export interface RemediationPage {
  /** Newest first. */
  remediations: RemediationSummary[];
  /** Absent on the last page. */
  nextPage?: string;
}

/** One remediation, whole. */
export interface RemediationDetail extends RemediationSummary {
  /** What each action has come to. Absent when no worker answers, or it was terminated. */
  progress?: RemediationProgress;
  /** The event it answers, as it was judged. */
  reported: MeshEvent;
  /** What was planned when the rule fired. */
  actions: ActionPlan[];
  rulesetHash: string;
}

export interface Retried {
  /** The run that does it. The workflow id stays the same. */
  runId: string;
  /** The actions that run again. */
  actions: string[];
}
