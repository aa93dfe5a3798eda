import type { Evidence } from '../evidence/evidence.js';
import type { Firing } from '../evidence/firings.js';

/**
 * Whether a rule was re-armed after it had fired and before something else came. Re-arms and events are handled in the order in
 * which the server took them.
 */
export function wasRearmed({ arrivals }: Evidence, { tenant, rule, order: firedBy }: Firing, before: number): boolean {
  return arrivals.some(
    ({ tenant: whose, rearm, order }) =>
      rearm !== undefined &&
      whose === tenant &&
      (rearm.rule === undefined || rearm.rule === rule) &&
      order > (firedBy ?? 0) &&
      order < before,
  );
}
