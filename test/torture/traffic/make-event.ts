import type { Random } from '../random.js';
import type { MadeEvent } from './ledger.js';

const SESSIONS = 3;
const SIGNS = 6;

/** What is reported, by how often. */
const KINDS = [
  { weight: 5, event: 'PostToolUseFailure', outcome: 'failed' },
  { weight: 3, event: 'TaskCompleted', outcome: 'failed' },
  { weight: 1, event: 'TaskCompleted', outcome: 'success' },
  { weight: 1, event: 'StopFailure', outcome: 'failed' },
  { weight: 1, event: 'SessionStart', outcome: 'success' },
] as const;

/** Makes events that are often alike: windows have something to suppress. */
export function createEvents(tenant: string, random: Random): { make(): MadeEvent } {
  let count = 0;
  return {
    make() {
      const { event, outcome } = random.weighted(KINDS);
      const [session, sign] = [`session-${random.between(1, SESSIONS)}`, `sign-${random.between(1, SIGNS)}`];
      return { id: `${tenant}-${++count}`, tenant, event, outcome, session, sign };
    },
  };
}

export function payloadOf({ sign }: MadeEvent): Record<string, unknown> {
  return { tool_name: 'Bash', error: `timeout of ${sign}`, sign };
}
