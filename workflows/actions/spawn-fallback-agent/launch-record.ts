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

const KEPT_CHARS = 300;

/**
 * What the record of a launcher keeps of what its agent said, once another is tried: most often the end says why it failed. Not
 * more, since it goes into every message and history after it. Cut between words: half a secret is one that nobody would know.
 */
export function lastWordsOf({ outputTail = '' }: Pick<StartedAgent, 'outputTail'>): Pick<Launch, 'lastWords'> {
  const said = outputTail.trim();
  if (said === '') return {};
  if (said.length <= KEPT_CHARS) return { lastWords: said };
  const end = said.slice(-KEPT_CHARS).replace(/^\S*\s+/, '');
  return { lastWords: `…${end.toWellFormed()}` };
}
