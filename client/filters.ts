import type { RemediationProgress } from '#contract/remediation.js';
import type { DeadRemediation } from '#contract/views/dead.js';

/** Remediations on a page of a list. */
export const DEFAULT_PAGE = 50;
export const MAX_PAGE = 200;

/** Which remediations to list; what is absent does not matter. */
export interface RemediationFilter {
  /** Default: `default`. */
  tenant?: string;
  rule?: string;
  outcome?: RemediationProgress['outcome'];
  /** Found only when the session is a plain name: others are not stored in clear. */
  session?: string;
  /** From 1 to 200; default 50. */
  limit?: number;
  /** `nextPage` of the page before. */
  page?: string;
}

/** Which of those that gave up to list; what is absent does not matter. */
export interface DeadFilter extends Pick<RemediationFilter, 'tenant' | 'rule' | 'limit' | 'page'> {
  kinds?: readonly DeadRemediation['kind'][];
  /** Those that ended since then. */
  closedSinceAt?: number;
}
