import type { NotedSuccess } from '../contract/watch.js';
import { hashId } from '../rules/guards/seen.js';
import type { WatchState } from './watch-state.js';

/** For as long as deliveries are tried when `mesh.yaml` says nothing else. */
export const SUCCESS_LIFE_MS = 86_400_000;
export const MAX_SUCCESSES = 200;
export const MAX_TROUBLED = 500;

/** A rule has fired in this session: what succeeds there next may end an incident that no delivery has told of yet. */
export function noteTrouble({ troubled }: WatchState, session: string | undefined, now: number): void {
  if (session === undefined) return;
  const hash = hashId(session);
  // Deleted first, so that the map stays ordered by the last time.
  troubled.delete(hash);
  troubled.set(hash, now);
  dropOldest(troubled, MAX_TROUBLED);
}

/**
 * Keeps a success for an incident that is told of later. Only where a rule has fired in its session or chain: most successes
 * are about nothing that broke. Of those about the same, the last one is kept.
 */
export function noteSuccess(state: WatchState, success: NotedSuccess): void {
  const { successes, troubled, memory } = state;
  const { root, ...rest } = success;
  const isOfChain = root !== undefined && memory.chains.has(root);
  const isOfSession = rest.session !== undefined && troubled.has(hashId(rest.session));
  if (!isOfChain && !isOfSession) return;

  const noted = isOfChain ? success : rest;
  const key = keyOf(noted);
  const known = successes.get(key);
  successes.delete(key);
  successes.set(key, known && known.occurredAt > noted.occurredAt ? known : noted);
  dropOldest(successes, MAX_SUCCESSES);
}

export function loadSuccesses(saved: NotedSuccess[] = []): Map<string, NotedSuccess> {
  return new Map(saved.map((success) => [keyOf(success), success]));
}

export function pruneSuccesses({ successes, troubled }: WatchState, now: number): void {
  for (const [key, { at }] of successes) if (now - at >= SUCCESS_LIFE_MS) successes.delete(key);
  for (const [hash, at] of troubled) if (now - at >= SUCCESS_LIFE_MS) troubled.delete(hash);
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
