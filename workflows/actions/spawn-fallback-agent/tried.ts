import type { Launch, LaunchedAgent, StartedAgent } from '#contract/remediation.js';
import type { Outcome } from '../action-run.js';

/** What became of one launcher, and which to try next if it failed for good. */
export interface Tried {
  outcome: Outcome;
  launched?: Launch | undefined;
  next?: string | undefined;
}

/** What the record of a launcher keeps of its agent: what it said stands with the action. */
export function launchedAgent({ id, session, outcome }: StartedAgent): LaunchedAgent {
  return { ...(id !== undefined && { id }), ...(session !== undefined && { session }), outcome };
}

/** For people. */
export function nameOf({ id, session, launcher }: StartedAgent): string {
  const known = id ?? session;
  return known === undefined ? `the agent of ${launcher}` : `agent ${known}`;
}
