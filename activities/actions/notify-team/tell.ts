import type { NotifyPlan } from '#contract/actions/notify-team/schema.js';
import type { Teller } from '../tell.js';

/** Telling people mends nothing. */
export const tellNotifyTeam: Teller<NotifyPlan> = { part: 'no-part' };
