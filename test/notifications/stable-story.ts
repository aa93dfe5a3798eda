import type { Recorded } from './recorded.js';
import type { Setting } from './write-messages.js';

/** Where everything would be for people. */
export const STABLE_SETTING: Setting = {
  places: {
    pagerduty: 'https://events.pagerduty.com/v2/enqueue',
    webhook: 'https://hooks.example.com/mesh',
    inboxes: '~/.claude/teams',
    bridge: 'https://capacity.example.com',
  },
  temporalAddress: '127.0.0.1:7233',
};

const FIRED_AT = Date.parse('2026-03-14T03:07:12Z');
const MINUTE_MS = 60_000;

/** The same with times that do not differ from run to run: the night of the story, and not the seconds of its rehearsal. */
export function withStableTimes({ incident, digest, resolved, hostile }: Recorded): Recorded {
  const resolvedTimes = { occurredAt: FIRED_AT - 1_000, openedAt: FIRED_AT + 43_000, at: FIRED_AT + 11 * MINUTE_MS };
  const digestTimes = {
    firstAt: FIRED_AT + 2 * MINUTE_MS,
    lastAt: FIRED_AT + 9 * MINUTE_MS,
    at: FIRED_AT + 15 * MINUTE_MS,
  };
  return {
    incident: setTimes(incident, timesOfRemediation(FIRED_AT, 15)),
    resolved: setTimes(resolved, resolvedTimes, resolvedTimes.openedAt),
    digest: setTimes(digest, digestTimes, digestTimes.at),
    hostile: setTimes(hostile, timesOfRemediation(FIRED_AT + 60 * MINUTE_MS, 10)),
  };
}

function timesOfRemediation(firedAt: number, cooldownMin: number): Record<string, number> {
  // `untilAt`: the dedup windows, of half a minute unless a rule says otherwise.
  const untilAt = firedAt + MINUTE_MS / 2;
  const leaseUntilAt = firedAt + 30 * MINUTE_MS;
  const cooldownUntilAt = firedAt + cooldownMin * MINUTE_MS;
  return { occurredAt: firedAt - 1_000, firedAt, cooldownUntilAt, untilAt, leaseUntilAt };
}

const EARLIEST_TIME = Date.parse('2020-01-01T00:00:00Z');
const SESSION = '2f1c7a90-6d3e-4b58-8c21-9e0a4d7b5f63';

/** Ids of notices hold a time, and the session chosen for an agent depends on the run. */
function setTimes<T>(value: T, times: Record<string, number>, inIds?: number): T {
  const text = JSON.stringify(value, (key, inner: unknown) => {
    if (key === 'agent' && typeof inner === 'object') return { ...inner, session: SESSION };
    if (typeof inner === 'string' && inIds !== undefined) return inner.replace(/(?<=\/)\d{13}(?=\/|$)/, String(inIds));
    if (typeof inner !== 'number' || inner < EARLIEST_TIME) return inner;
    if (!Object.hasOwn(times, key)) throw new Error(`a time that is not known: ${key}`);
    return times[key];
  });
  return JSON.parse(text) as T;
}
