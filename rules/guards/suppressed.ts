import type { Suppressed } from '../../contract/notice.js';
import type { SavedSuppression } from '../../contract/watch.js';
import { hashId } from './seen.js';

const NAMED_SESSIONS = 10;
/** Beyond these, sessions are not told apart any more. */
const OTHER_SESSIONS = 90;

export function noteSuppressed(
  known: SavedSuppression | undefined,
  { session }: { session?: string | undefined },
  now: number,
): SavedSuppression {
  const none: SavedSuppression = { events: 0, firstAt: now, lastAt: now, sessions: [], moreSessions: 0 };
  const { events, firstAt, sessions, others = [] } = known ?? none;
  const noted = { events: events + 1, firstAt, lastAt: now };
  if (session === undefined || sessions.includes(session)) return withSessions(noted, sessions, others);
  if (sessions.length < NAMED_SESSIONS) return withSessions(noted, [...sessions, session], others);
  const hash = hashId(session);
  const isCounted = others.includes(hash) || others.length === OTHER_SESSIONS;
  return withSessions(noted, sessions, isCounted ? others : [...others, hash]);
}

/** For people. */
export function suppressedIn({ others: _others, ...suppressed }: SavedSuppression): Suppressed {
  return suppressed;
}

function withSessions(
  noted: Pick<Suppressed, 'events' | 'firstAt' | 'lastAt'>,
  sessions: string[],
  others: string[],
): SavedSuppression {
  return { ...noted, sessions, moreSessions: others.length, ...(others.length > 0 && { others }) };
}
