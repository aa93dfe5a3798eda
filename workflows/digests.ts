import { digestId } from '#contract/ids.js';
import { suppressedIn } from '#rules/guards/suppressed.js';
import type { WatchState } from './watch-state.js';

/** Turns what ended cooldowns kept quiet into messages. A cooldown that kept nothing quiet leaves none. */
export function collectDigests(state: WatchState, now: number): void {
  const { memory, tenant } = state;
  for (const { rule, key, untilAt, label, firedFor, suppressed } of memory.ended.splice(0)) {
    state.notices.push({
      kind: 'digest',
      id: digestId(tenant, rule, key, untilAt),
      tenant,
      rule,
      at: now,
      ...(label !== undefined && { label }),
      ...(firedFor && { about: firedFor }),
      suppressed: suppressedIn(suppressed),
    });
  }
}
