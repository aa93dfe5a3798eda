import type { MeshEvent } from '#contract/event.js';
import type { Suppressed } from '#contract/notice.js';
import { factsOf, type Telling } from '#contract/facts.js';
import { hashId } from './seen.js';

/** Hashes stand for the sessions that are not noted by name. */
export interface SavedSuppression extends Suppressed {
  others?: string[];
}

const NAMED_SESSIONS = 10;
/** Beyond these, sessions are not told apart any more. */
const OTHER_SESSIONS = 90;
const MAX_TOOL_CHARS = 80;
const MAX_ERROR_CHARS = 200;

export function noteSuppressed(
  known: SavedSuppression | undefined,
  event: Telling & Partial<Pick<MeshEvent, 'session'>>,
  now: number,
): SavedSuppression {
  const none: SavedSuppression = { events: 0, firstAt: now, lastAt: now, sessions: [], moreSessions: 0 };
  const { session } = event;
  const { events, firstAt, sessions, others = [] } = known ?? none;
  const last = lastIn(event) ?? known?.last;
  const noted = { events: events + 1, firstAt, lastAt: now, ...(last && { last }) };
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
  noted: Pick<Suppressed, 'events' | 'firstAt' | 'lastAt' | 'last'>,
  sessions: string[],
  others: string[],
): SavedSuppression {
  return { ...noted, sessions, moreSessions: others.length, ...(others.length > 0 && { others }) };
}

function lastIn(event: Telling): Suppressed['last'] {
  const facts = factsOf(event);
  const tool = shortened(facts.tool, MAX_TOOL_CHARS);
  const error = shortened(facts.error, MAX_ERROR_CHARS);
  if (tool === undefined && error === undefined) return undefined;
  return { ...(tool !== undefined && { tool }), ...(error !== undefined && { error }) };
}

/** The first line. Cut between words: half a secret is one that nobody would know again when the message is written. */
function shortened(text: string | undefined, maxChars: number): string | undefined {
  const [line = ''] = (text ?? '').trimStart().split(/[\r\n\u2028\u2029]/, 1);
  const short = line.length <= maxChars ? line.trimEnd() : `${line.slice(0, maxChars).replace(/\S*$/, '')}…`;
  return short === '' || short === '…' ? undefined : short.toWellFormed();
}
