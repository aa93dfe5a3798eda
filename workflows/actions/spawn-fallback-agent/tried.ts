import type { Launch, StartedAgent } from '../../../contract/remediation.js';
import type { Outcome } from '../action-run.js';

/** What became of one launcher, and which to try next if it failed for good. */
export interface Tried {
  outcome: Outcome;
  launched?: Launch | undefined;
  next?: string | undefined;
}

/** For people. */
export function nameOf({ id, session, launcher }: StartedAgent): string {
  const known = id ?? session;
  return known === undefined ? `the agent of ${launcher}` : `agent ${known}`;
}
