import { hashId } from '#rules/guards/seen.js';
import { isLike, type Work } from './same-work.js';
import type { WatchState } from './watch-state.js';

/** The last success of a task and tool, in a session or chain in which a rule has fired. */
export interface NotedSuccess extends Work {
  /** By the clock of its reporter. */
  occurredAt: number;
  /** When the watch heard of it. */
  at: number;
  by: { event: string; eventId: string };
}

/** For as long as deliveries are tried when `mesh.yaml` says nothing else. */
export const SUCCESS_LIFE_MS = 86_400_000;
export const MAX_SUCCESSES = 200;
export const MAX_SESSIONS_WITH_FIRINGS = 500;

/** A rule has fired in this session: what succeeds there next may end an incident that no delivery has told of yet. */
export function noteFiring({ sessionsWithFirings }: WatchState, session: string | undefined, now: number): void {
  const hash = hashOf(session);
  // Deleted first, so that the map stays ordered by the last time.
  sessionsWithFirings.delete(hash);
  sessionsWithFirings.set(hash, now);
  dropOldest(sessionsWithFirings, MAX_SESSIONS_WITH_FIRINGS);
}

/**
 * Keeps a success for an incident that is told of later. Only where a rule has fired in its session or chain: most successes
 * are about nothing that broke. Of those about the same, the last one is kept.
 */
export function noteSuccess(state: WatchState, success: NotedSuccess): void {
  const { successes, sessionsWithFirings, memory } = state;
  const { root, ...rest } = success;
  const isOfChain = root !== undefined && memory.chains.has(root);
  const isOfSession = sessionsWithFirings.has(hashOf(rest.session));
  if (!isOfChain && !isOfSession) return;

  const noted = isOfChain ? success : rest;
  const key = keyOf(noted);
  const known = successes.get(key);
  successes.delete(key);
  successes.set(key, known && known.occurredAt > noted.occurredAt ? known : noted);
  dropOldest(successes, MAX_SUCCESSES);
}

/**
 * It is broken again, so that what succeeded before ends nothing any more. What the incident will be resolved on is not known
 * yet: a success that may be about it goes, since an alert that stays open is better than one that is closed too soon.
 */
export function forgetSuccessBefore({ successes }: WatchState, failure: Work & { occurredAt: number }): void {
  for (const [key, success] of successes) {
    if (success.occurredAt < failure.occurredAt && isLike(success, failure)) successes.delete(key);
  }
}

export function loadSuccesses(saved: NotedSuccess[]): Map<string, NotedSuccess> {
  return new Map(saved.map((success) => [keyOf(success), success]));
}

export function pruneSuccesses({ successes, sessionsWithFirings }: WatchState, now: number): void {
  for (const [key, { at }] of successes) if (now - at >= SUCCESS_LIFE_MS) successes.delete(key);
  for (const [hash, at] of sessionsWithFirings) if (now - at >= SUCCESS_LIFE_MS) sessionsWithFirings.delete(hash);
}

/** All events without a session count as of one. */
function hashOf(session = ''): string {
  return hashId(session);
}

function keyOf({ session = '', root = '', task = '', tool = '' }: NotedSuccess): string {
  return JSON.stringify([session, root, task, tool]);
}

function dropOldest(map: Map<string, unknown>, max: number): void {
  if (map.size <= max) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
