import type { WarmPlan } from '#contract/actions/warm-remote-capacity/schema.js';
import { oneActivity } from '../one-activity.js';

export const runWarmRemoteCapacity = oneActivity<WarmPlan>('warmRemoteCapacity', 'ask for capacity');
