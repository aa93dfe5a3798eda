import type { MeshEvent } from '../contract/event.js';
import type { OpenIncident } from '../contract/notification.js';
import { isSameThread } from '../rules/guards/fired-for.js';
import { type Names, namesIn } from '../rules/guards/works.js';
import { forgetSuccessBefore, type NotedSuccess } from './noted-successes.js';
import { listIn } from './read-argument.js';
import { EXPECTED_INCIDENTS, readIncident } from './read-incident.js';
import { alertOf, CLOCKS_DIFFER_MS, identityOf, isAbout, isNear, isSameWork, type Work } from './same-work.js';
import type { WatchState } from './watch-state.js';

/** An incident as the watch keeps it: until its receiver is told that all of its alert works again. */
export interface WatchedIncident extends OpenIncident {
  /** It works again: by which event, when that happened by the clock of its reporter, and when the watch knew of both. */
  resolved?: { by: NotedSuccess['by']; occurredAt: number; at: number };
}

export const INCIDENT_LIFE_MS = 7 * 86_400_000;
const MAX_INCIDENTS = 500;
const MAX_EVENT_CHARS = 128;
const MAX_ID_CHARS = 200;

/** Takes the signal by which deliveries tell of incidents they opened. Returns what was wrong with it. */
export function openIncidents(state: WatchState, argument: unknown, now: number): string | undefined {
  const told = listIn(argument).map((written) => readIncident(written, state.tenant, now));
  const opened = told.filter((incident) => incident !== undefined);
  const all = byIdentity(state);
  for (const incident of opened) if (isNews(incident, all.get(identityOf(incident)))) put(all, incident);
  const successes = [...state.successes.values()];
  for (const incident of opened) putIfWorking(all, incident, successes, now);
  keep(state, all);
  return told.length > 0 && opened.length === told.length ? undefined : EXPECTED_INCIDENTS;
}

/** What works again: a task or a tool that the event names. The root is the first event of its chain. */
export function successOf(
  { id, event, session, occurredAt }: MeshEvent,
  root: string,
  works: Names,
  now: number,
): NotedSuccess {
  // Nobody has checked the event when the tenant is paused, and this is kept and shown.
  const by = { event: event.slice(0, MAX_EVENT_CHARS), eventId: id.slice(0, MAX_ID_CHARS) };
  return { ...works, ...(session !== undefined && { session }), root, occurredAt, at: now, by };
}

/** A delivery that took long may tell of an incident only after the next one has, or tell once more of what works again. */
function isNews(told: OpenIncident, known: WatchedIncident | undefined): boolean {
  if (!known) return true;
  return known.resolved ? told.occurredAt > known.occurredAt : told.occurredAt >= known.occurredAt;
}

/** Marks the incidents that a success is about. Who is to be told, and when: see `resolves.ts`. */
export function resolveIncidents(state: WatchState, success: NotedSuccess): void {
  const works = (one: WatchedIncident) => !one.resolved && isAbout(one, success, CLOCKS_DIFFER_MS);
  const working = state.incidents.filter(works).map((one) => resolvedBy(success, one, success.at));
  state.incidents = [...state.incidents.filter((one) => !works(one)), ...working];
}

/**
 * The rule has met the same trouble again, whether it fired or was kept quiet: the alert stays open until that is over too. What
 * comes late, from before the success of the same, is no news. The label is that of the cooldown which the event falls under.
 */
export function noteAgain(
  state: WatchState,
  rule: string,
  event: MeshEvent,
  root: string,
  now: number,
  cooldownLabel?: string,
): void {
  const failure = { ...failureIn(event), root, ...(cooldownLabel !== undefined && { cooldownLabel }) };
  forgetSuccessBefore(state, failure);
  const isMeant = (one: WatchedIncident) =>
    one.rule === rule && (isSameThread(one, failure) || isSameBroken(one, failure));
  reopen(state, state.incidents.filter(isMeant), failure, now);
}

/**
 * While the tenant is paused no rule is asked whether it wants a failure: only what has broken before counts, and its incident
 * keeps its place in its chain, since nobody has checked what the event says of that.
 */
export function noteAgainWhilePaused(state: WatchState, event: MeshEvent, root: string, now: number): void {
  const failure = failureIn(event);
  const placed = { ...failure, root };
  forgetSuccessBefore(state, placed);
  const broken = state.incidents.filter((one) => isSameBroken(one, placed));
  reopen(state, broken, failure, now);
}

/** Not those that work again: their receivers are still to be told, however long the pause. */
export function pruneIncidents(state: WatchState, now: number): void {
  forgetIncidents(
    state,
    state.incidents.filter(({ openedAt, resolved }) => !resolved && now - openedAt >= INCIDENT_LIFE_MS),
  );
}

/**
 * Where something that is still broken is forgotten, all of its alert that works again goes with it: what is left would be taken
 * for all there was, and the receiver would be told that it is over.
 */
export function forgetIncidents(state: WatchState, gone: WatchedIncident[]): void {
  const cut = new Set(gone.filter(({ resolved }) => !resolved).map(alertOf));
  state.incidents = state.incidents.filter(
    (one) => !gone.includes(one) && !(one.resolved !== undefined && cut.has(alertOf(one))),
  );
}

interface Failure extends Work {
  occurredAt: number;
  cooldownLabel?: string;
}

function failureIn({ session, payload, occurredAt }: MeshEvent): Failure {
  return { ...(session !== undefined && { session }), ...namesIn(payload), occurredAt };
}

/** A success may come from anywhere in the session or chain of an incident, and so may the next failure. */
function isSameBroken(known: WatchedIncident, failure: Failure): boolean {
  return isSameWork(known, failure, known.resolveOn) && isNear(known, failure);
}

/** There may be hundreds for one event, and as many events at once: so the list is read once, and written once. */
function reopen(state: WatchState, known: WatchedIncident[], failure: Failure, now: number): void {
  const broken = known.filter((one) => reopens(failure, one)).map((one) => reopened(one, failure));
  if (broken.length === 0) return;
  const all = byIdentity(state);
  const since = [...state.successes.values()].filter(({ occurredAt }) => occurredAt >= failure.occurredAt);
  // Two may have become one: of these the last one counts.
  for (const [identity, incident] of new Map(broken.map((one) => [identityOf(one), one]))) {
    const later = all.get(identity);
    if (later && isPast(failure, later)) continue;
    put(all, incident);
    putIfWorking(all, incident, since, now);
  }
  keep(state, all);
}

/** Told late: the same has failed after it, or has worked again. */
function isPast({ occurredAt }: Failure, { resolved, occurredAt: brokenAt }: WatchedIncident): boolean {
  return resolved ? occurredAt <= resolved.occurredAt : occurredAt < brokenAt;
}

/** A success says nothing of other work, which may have failed before it. */
function reopens(failure: Failure, known: WatchedIncident): boolean {
  if (!known.resolved || !isPast(failure, known)) return true;
  return isNamed(failure, known) && !isSameWork(known, failure, known.resolveOn);
}

/**
 * The incident keeps its session and task, by which its alert is known, wherever in its chain it has failed again. A failure that
 * names nothing by which a success would be known may be of anything that is known to have broken.
 */
function reopened({ resolved: _resolved, ...known }: WatchedIncident, failure: Failure): WatchedIncident {
  const { tool: _tool, ...incident } = known;
  const { root } = failure;
  const { tool, cooldownLabel } = isNamed(failure, known) ? failure : known;
  // The clock of another session may be behind: what this one has told of still counts.
  const isSame = tool === known.tool;
  return {
    ...incident,
    ...(tool !== undefined && { tool }),
    ...(cooldownLabel !== undefined && { cooldownLabel }),
    ...(root !== undefined && { root }),
    occurredAt: isSame ? Math.max(known.occurredAt, failure.occurredAt) : failure.occurredAt,
  };
}

function isNamed(failure: Failure, { resolveOn }: WatchedIncident): boolean {
  return resolveOn.some((what) => failure[what] !== undefined);
}

type Incidents = Map<string, WatchedIncident>;

function byIdentity({ incidents }: WatchState): Incidents {
  return new Map(incidents.map((one) => [identityOf(one), one]));
}

/** Deleted first, so that the map stays ordered by the last news. */
function put(all: Incidents, incident: WatchedIncident): void {
  const identity = identityOf(incident);
  all.delete(identity);
  all.set(identity, incident);
}

/**
 * A delivery may take long, and what it tells of may work again by then. The clocks are taken at their word here: the success may
 * have been noted before the failure, and an alert that stays open is better than one that is closed too soon.
 */
function putIfWorking(all: Incidents, told: OpenIncident, successes: NotedSuccess[], now: number): void {
  const incident = all.get(identityOf(told));
  if (!incident || incident.resolved) return;
  const success = successes.findLast((one) => isAbout(incident, one, 0));
  if (success) put(all, resolvedBy(success, incident, now));
}

function keep(state: WatchState, all: Incidents): void {
  const incidents = [...all.values()];
  state.incidents = incidents;
  forgetIncidents(state, incidents.slice(0, -MAX_INCIDENTS));
  state.dropped.incidents += incidents.length - state.incidents.length;
}

/** Kept until all of its alert works again: each has cooldowns of its own to wait for. */
function resolvedBy({ by, occurredAt }: NotedSuccess, incident: WatchedIncident, now: number): WatchedIncident {
  return { ...incident, resolved: { by, occurredAt, at: now } };
}
