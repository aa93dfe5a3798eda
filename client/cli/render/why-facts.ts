import type { Judgement } from '#contract/verdict.js';
import type { WatchStatus } from '#contract/watch.js';
import type { RemediationDetail } from '../../remediation-views.js';

/** What the explanation of an event is made of. */
export interface WhyFacts {
  eventId: string;
  judgement: Judgement;
  /** What its verdicts started; when they are not kept, what was found of the rules that are known. */
  remediations: RemediationDetail[];
  status: WatchStatus;
  knownRules: string[];
}
