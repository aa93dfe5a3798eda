import type { MeshEvent } from '../contract/event.js';
import { resolveId } from '../contract/ids.js';
import type { OpenIncident } from '../contract/notification.js';
import type { NotedSuccess } from '../contract/watch.js';
import { hashId } from '../rules/guards/seen.js';
import { pruneSuccesses } from './noted-successes.js';
import { listIn, numberIn, textIn, textsIn } from './read-argument.js';
import type { WatchState } from './watch-state.js';

export const INCIDENT_LIFE_MS = 7 * 86_400_000;
const MAX_INCIDENTS = 500;

/** A success from before the incident, which came late, ends nothing. The clocks of two machines may differ by so much. */
const CLOCKS_DIFFER_MS = 60_000;

/** Takes the signal by which deliveries tell of incidents they opened. Returns what was wrong with it. */
export function openIncidents(state: WatchState, argument: unknown, now: number): string | undefined {
  const told = listIn(argument).map((written) => readIncident(written, state.tenant, now));
  const opened = told.filter((incident) => incident !== undefined);
  const isOpened = (one: OpenIncident) => opened.some((other) => identity(other) === identity(one));
  state.incidents = [...state.incidents.filter((one) => !isOpened(one)), ...opened].slice(-MAX_INCIDENTS);
  for (const incident of opened) endIfOver(state, incident, now);
  return told.length > 0 && opened.length === told.length ? undefined : EXPECTED;
}

const EXPECTED =
  'expected a list of incidents {"tenant": "…", "rule": "…", "team": "…", "channel": "…", "key": "…", "resolveOn": ["task"]}';

/**
 * A delivery may take long, and what it tells of may be over by then. The clocks are taken at their word here: the success may
 * have been noted before the failure, and an alert that stays open is better than one that is closed too soon.
 */
function endIfOver(state: WatchState, incident: OpenIncident, now: number): void {
  const success = [...state.successes.values()].findLast((one) => isAbout(incident, one, 0));
  if (success) resolve(state, [incident], success, now);
}

/** What works again: a task or a tool that the event names. The root is the first event of its chain. */
export function successOf(
  { id, event, session, occurredAt }: MeshEvent,
  root: string,
  works: { task?: string; tool?: string },
  now: number,
): NotedSuccess {
  return { ...works, ...(session !== undefined && { session }), root, occurredAt, at: now, by: { event, eventId: id } };
}

/** Ends the incidents that a success is about: the same task or tool, in the same session or chain. Each is told once. */
export function resolveIncidents(state: WatchState, success: NotedSuccess, now: number): void {
  const resolved = state.incidents.filter((incident) => isAbout(incident, success, CLOCKS_DIFFER_MS));
  if (resolved.length > 0) resolve(state, resolved, success, now);
}

function resolve(state: WatchState, resolved: OpenIncident[], { by }: NotedSuccess, now: number): void {
  state.incidents = state.incidents.filter((incident) => !resolved.includes(incident));
  for (const incident of resolved) {
    const { rule, openedAt } = incident;
    const id = resolveId(state.tenant, rule, hashId(identity(incident)), openedAt);
    state.notices.push({ kind: 'resolve', id, tenant: state.tenant, rule, at: now, incident, by });
  }
}

export function pruneIncidents(state: WatchState, now: number): void {
  state.incidents = state.incidents.filter(({ openedAt }) => now - openedAt < INCIDENT_LIFE_MS);
  pruneSuccesses(state, now);
}

function isAbout(incident: OpenIncident, success: NotedSuccess, clocksDifferMs: number): boolean {
  const { resolveOn, openedAt, occurredAt, session } = incident;
  const isSame = resolveOn.some((what) => incident[what] !== undefined && incident[what] === success[what]);
  if (!isSame) return false;
  const isOfSession = session !== undefined && session === success.session;
  if (!isOfSession && incident.root !== success.root) return false;
  // One session has one clock. When an older run opened the incident, only the time of the delivery is known, which is ours.
  if (isOfSession && occurredAt !== undefined) return success.occurredAt >= occurredAt;
  return success.occurredAt >= (occurredAt ?? openedAt) - clocksDifferMs;
}

/** By which a receiver knows it. */
function identity({ team, channel, key }: OpenIncident): string {
  return JSON.stringify([team, channel, key]);
}

function readIncident(written: unknown, tenant: string, now: number): OpenIncident | undefined {
  const [rule, team, channel, key] = ['rule', 'team', 'channel', 'key'].map((name) => textIn(written, name));
  const resolveOn = (['task', 'tool'] as const).filter((what) => textsIn(written, 'resolveOn').includes(what));
  if (textIn(written, 'tenant') !== tenant || resolveOn.length === 0) return undefined;
  if (rule === undefined || team === undefined || channel === undefined || key === undefined) return undefined;
  const named = ['session', 'task', 'tool'].flatMap((name) => {
    const text = textIn(written, name);
    return text === undefined ? [] : [[name, text] as const];
  });
  const occurredAt = numberIn(written, 'occurredAt');
  return {
    tenant,
    rule,
    team,
    channel,
    key,
    resolveOn,
    remediation: textIn(written, 'remediation') ?? '',
    root: textIn(written, 'root') ?? '',
    ...Object.fromEntries(named),
    ...(occurredAt !== undefined && { occurredAt }),
    // A clock that is ahead must not keep an incident open for longer.
    openedAt: Math.min(numberIn(written, 'openedAt') ?? now, now),
  };
}
