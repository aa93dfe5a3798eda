import type { ActionPlan } from '#contract/actions/index.js';
import type { RemediationOutcome, RemediationProgress } from '#contract/remediation.js';
import type { MeshEvent } from '#contract/event.js';
import type { RestorePoint } from '#contract/lease.js';
import type { AgentAtWork, RetriedActivity, StoryOutcome } from '#contract/story.js';

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
  outcome: StoryOutcome;
  startedAt: number;
  closedAt?: number;
}

export interface RemediationPage {
  /** Those that run, the newest first; then those that ended, the last to end first. */
  remediations: RemediationSummary[];
  /** Absent on the last page. */
  nextPage?: string;
}

/** One remediation, whole. */
export interface RemediationDetail extends RemediationSummary {
  /** What each action has come to. Absent when no worker answers, or it was terminated. */
  progress?: RemediationProgress;
  /** It was asked to end, and has not. Known without a worker too, and it waits for one. */
  isAborting?: true;
  /** What has failed and is tried again. Known without a worker too; absent when there is nothing of the kind. */
  retrying?: RetriedActivity[];
  /** Known of one agent whose end a worker waits for; absent when several are, or none. */
  agentAtWork?: AgentAtWork;
  /** The event it answers, as it was judged. */
  reported: MeshEvent;
  /** What was planned when the rule fired. */
  actions: ActionPlan[];
  rulesetHash: string;
  /** It was started by hand, with `mesh try`. */
  isTry?: true;
}

/** Which of those that gave up to list; what is absent does not matter. */
export interface DeadFilter extends Pick<RemediationFilter, 'tenant' | 'rule' | 'limit' | 'page'> {
  kinds?: readonly DeadRemediation['kind'][];
  /** Those that ended since then. */
  closedSinceAt?: number;
}

/**
 * A remediation that has failed, a message of the mesh itself (a digest, good news) that did not reach everyone, or capacity
 * that was not given back. Also each of these that Temporal or somebody ended before it could say how it went.
 */
export interface DeadRemediation {
  kind: 'remediation' | 'notice' | 'lease';
  /** The workflow id. */
  id: string;
  runId: string;
  tenant: string;
  /** Empty for a lease, which no one rule has. */
  rule: string;
  /** Of a lease. */
  environment?: string;
  /** Of a lease that has failed to lower a number which it had raised: from what, and to what. */
  restorePoint?: RestorePoint;
  /** When it did not end by itself. */
  ended?: 'terminated' | 'timed-out';
  /** Of a remediation: the event it answers. */
  eventId?: string;
  startedAt: number;
  closedAt?: number;
  /** What gave up, and why; without an action when it was the remediation as a whole. */
  failed: { action?: string; reason: string }[];
}

export interface DeadPage {
  /** Those that gave up last come first. */
  dead: DeadRemediation[];
  /** Absent on the last page. */
  nextPage?: string;
}

/** Capacity that is kept warm, or being given back. */
export interface RunningLease {
  /** `lease/mesh/<environment>`, as in the Temporal UI. */
  id: string;
  runId: string;
  environment: string;
  startedAt: number;
  /** What has failed and is tried again, such as giving the capacity back; absent when there is nothing of the kind. */
  retrying?: RetriedActivity[];
}

export interface LeasePage {
  leases: RunningLease[];
  /** There are others. */
  more: boolean;
}

export interface Retried {
  /** The run that does it. The workflow id stays the same. */
  runId: string;
  /** The actions that run again. Of a message of the mesh itself: the deliveries, or its kind when they are not known. */
  actions: string[];
}
