import type { Bridge } from '#config/sections/bridge.js';
import type { Lease } from '#contract/lease.js';
import { hashId } from '#rules/guards/seen.js';
import { TargetFailure } from './target.js';

/** Tells one target from another without saying where it is: two clusters may have objects of the same name. */
export function hashTarget({ kind, url }: Bridge): string {
  return hashId(`${kind} ${url.replace(/\/+$/, '')}`);
}

/** Whether a lease is on another target than the one that `mesh.yaml` names now. */
export function isElsewhere({ targetHash }: Pick<Lease, 'targetHash'>, bridge: Bridge): boolean {
  return targetHash !== hashTarget(bridge);
}

/** Nothing is changed at the target that is there now: the numbers of another one say nothing about it. */
export function elsewhere(environment: string): TargetFailure {
  const message = `mesh.yaml names a bridge at another address now: ${environment} there is left as it is`;
  return new TargetFailure(message, { isFinal: true });
}
