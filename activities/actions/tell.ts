import type { ActionPlan } from '#contract/actions/index.js';
import type { ActionResult } from '#contract/remediation.js';

/** What messages tell of a type of action beyond what all have in common. Each is the `tell.ts` in the folder of its action. */
export interface Teller<Plan extends ActionPlan> {
  /**
   * What a good end of it does about what broke: it `mends` that, it `helps` the next attempt, or it is `no-part` of it. Where some
   * action mends, those that help are not asked whether it is mended.
   */
  part: 'mends' | 'helps' | 'no-part';
  /** How a good end is told, instead of `<name> worked`. */
  tellDone?(result: ActionResult): string;
  /** What a good end leaves behind that ends later. */
  tellLeft?(plan: Plan, result: ActionResult, times: { firedAt: number; nowMs: number }): string | undefined;
}
