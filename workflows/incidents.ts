import type { MeshEvent } from '#contract/event.js';
import type { OpenIncident } from '#contract/notification.js';
import { isSameThread } from '#rules/guards/fired-for.js';
import { type Names, namesIn } from '#rules/guards/works.js';
import { forgetSuccessBefore, type NotedSuccess } from './noted-successes.js';
import { push } from './push.js';
import { listIn } from './read-argument.js';
import { EXPECTED_INCIDENTS, readIncident } from './read-incident.js';
import {
  alertOf,
  CLOCKS_DIFFER_MS,
  identityOf,
  isAbout,
  isNear,
  isOfOtherTool,
  isSameWork,
  type Work,
} from './same-work.js';
import type { WatchState } from './watch-state.js';

/** An incident as the watch keeps it: until its receiver is told that all of its alert works again. */
export interface WatchedIncident extends OpenIncident {
  /** It works again: by which event, of which tool, when that happened by the clock of its reporter, and when the watch knew. */
  resolved?: { by: NotedSuccess['by']; tool?: string; occurredAt: number; at: number };
}

export const INCIDENT_LIFE_MS = 7 * 86_400_000;
const MAX_INCIDENTS = 500;
const MAX_EVENT_CHARS = 128;
const MAX_ID_CHARS = 200;

/** Takes the signal by which deliveries tell of incidents they opened. Returns what was wrong with it. */
export function openIncidents(state: WatchState, argument: unknown, now: number): string | undefined {
  const told = listIn(argument).map((written) => readIncident(written, state.tenant, now));
  const opened = told.filter((incident) => incident !== undefined);
  const successes = byName([...state.successes.values()]);
  for (const incident of opened) {
    const identity = identityOf(incident);
    if (isNews(incident, state.incidents.get(identity))) put(state, identity, incident);
  }
  for (const incident of opened) resolveIfWorking(state, identityOf(incident), successes, now);
  dropOldest(state);
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
  const working = [...state.incidents].filter(([, one]) => !one.resolved && isAbout(one, success, CLOCKS_DIFFER_MS));
  for (const [identity, one] of working) put(state, identity, resolvedBy(success, one, success.at));
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
  reopen(state, isMeant, failure, now);
}

/**
 * While the tenant is paused no rule is asked whether it wants a failure: only what has broken before counts, and its incident
 * keeps its place in its chain, since nobody has checked what the event says of that.
 */
export function noteAgainWhilePaused(state: WatchState, event: MeshEvent, root: string, now: number): void {
  const failure = failureIn(event);
  const placed = { ...failure, root };
  forgetSuccessBefore(state, placed);
  reopen(state, (one) => isSameBroken(one, placed), failure, now);
}

/** Not those that work again: their receivers are still to be told, however long the pause. */
export function pruneIncidents(state: WatchState, now: number): void {
  const isOver = ({ openedAt, resolved }: WatchedIncident) => !resolved && now - openedAt >= INCIDENT_LIFE_MS;
  forgetIncidents(state, [...state.incidents.values()].filter(isOver));
}

/**
 * Where something that is still broken is forgotten, all of its alert that works again goes with it: what is left would be taken
 * for all there was, and the receiver would be told that it is over.
 */
export function forgetIncidents(state: WatchState, gone: WatchedIncident[]): void {
  const cut = new Set(gone.filter(({ resolved }) => !resolved).map(alertOf));
  const isGone = new Set(gone);
  for (const [identity, one] of state.incidents) {
    if (isGone.has(one) || (one.resolved !== undefined && cut.has(alertOf(one)))) state.incidents.delete(identity);
  }
}

export function loadIncidents(saved: WatchedIncident[]): WatchState['incidents'] {
  return new Map(saved.map((one) => [identityOf(one), one]));
}

interface Failure extends Work {
  occurredAt: number;
  cooldownLabel?: string;
}

function failureIn(event: MeshEvent): Failure {
  const { session, occurredAt } = event;
  return { ...(session !== undefined && { session }), ...namesIn(event), occurredAt };
}

/** A success may come from anywhere in the session or chain of an incident, and so may the next failure. */
function isSameBroken(known: WatchedIncident, failure: Failure): boolean {
  return isSameWork(known, failure, known.resolveOn) && isNear(known, failure);
}

/** There may be hundreds of them for each of hundreds of events: all in one go, and Temporal ends a worker that takes five seconds. */
function reopen(state: WatchState, isMeant: (known: WatchedIncident) => boolean, failure: Failure, now: number): void {
  const broken = new Map<string, WatchedIncident>();
  for (const [identity, known] of state.incidents) {
    if (!isMeant(known) || !reopens(failure, known)) continue;
    const again = reopened(known, failure);
    // Two may become one: of these the last one counts.
    broken.set(again.tool === known.tool ? identity : identityOf(again), again);
  }
  if (broken.size === 0) return;
  // What came before the failure ends nothing of this.
  const successes = byName([...state.successes.values()].filter(({ occurredAt }) => occurredAt >= failure.occurredAt));
  for (const [identity, incident] of broken) {
    const later = state.incidents.get(identity);
    if (later && isPast(failure, later)) continue;
    put(state, identity, incident);
    resolveIfWorking(state, identity, successes, now);
  }
  dropOldest(state);
}

/** Told late: the same has failed after it, or has worked again. */
function isPast({ occurredAt }: Failure, { resolved, occurredAt: brokenAt }: WatchedIncident): boolean {
  return resolved ? occurredAt <= resolved.occurredAt : occurredAt < brokenAt;
}

/** A success says nothing of other work, which may have failed before it. */
function reopens(failure: Failure, known: WatchedIncident): boolean {
  if (!known.resolved || !isPast(failure, known)) return true;
  const isOther = !isSameWork(known, failure, known.resolveOn) || isOfOtherTool(known.resolved, failure);
  return isNamed(failure, known) && isOther;
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

/** Deleted first, so that the map stays ordered by the last news. */
function put({ incidents }: WatchState, identity: string, incident: WatchedIncident): void {
  incidents.delete(identity);
  incidents.set(identity, incident);
}

/**
 * A delivery may take long, and what it tells of may work again by then. The clocks are taken at their word here: the success may
 * have been noted before the failure, and an alert that stays open is better than one that is closed too soon.
 */
function resolveIfWorking(state: WatchState, identity: string, successes: SuccessesByName, now: number): void {
  const incident = state.incidents.get(identity);
  if (!incident || incident.resolved) return;
  const { task, tool } = incident;
  const named = [...(successes.tasks.get(task) ?? []), ...(successes.tools.get(tool) ?? [])];
  const success = named.findLast((one) => isAbout(incident, one, 0));
  if (success) put(state, identity, resolvedBy(success, incident, now));
}

interface SuccessesByName {
  tools: Map<string | undefined, NotedSuccess[]>;
  /** Those that name no tool. */
  tasks: Map<string | undefined, NotedSuccess[]>;
}

/** There may be hundreds of them as well, and most are about nothing that has broken. */
function byName(successes: NotedSuccess[]): SuccessesByName {
  const byName: SuccessesByName = { tools: new Map(), tasks: new Map() };
  for (const success of successes) {
    const { task, tool } = success;
    if (tool !== undefined) push(byName.tools, tool, success);
    else push(byName.tasks, task, success);
  }
  return byName;
}

function dropOldest(state: WatchState): void {
  const known = state.incidents.size;
  if (known > MAX_INCIDENTS) forgetIncidents(state, [...state.incidents.values()].slice(0, -MAX_INCIDENTS));
  state.dropped.incidents += known - state.incidents.size;
}

/** Kept until all of its alert works again: each has cooldowns of its own to wait for. */
function resolvedBy({ by, tool, occurredAt }: NotedSuccess, incident: WatchedIncident, now: number): WatchedIncident {
  return { ...incident, resolved: { by, ...(tool !== undefined && { tool }), occurredAt, at: now } };
}
