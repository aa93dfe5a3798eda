// Sizes and times of the watch. Each is a trade between history, latency and what a worker replays after a restart.

/** Long histories make a stalled continue-as-new expensive: the whole run is replayed. */
export const MAX_HISTORY_EVENTS = 600;
/** In a quiet moment a shorter history is worth shedding too, since then nothing can slip in between. */
export const IDLE_HISTORY_EVENTS = 200;
export const IDLE_AFTER_MS = 5_000;

/** Of what goes through continue-as-new. */
export const MAX_STATE_BYTES = 1_500_000;

export const IDLE_CLOSE_MS = 3_600_000;

export const MAX_BATCH_EVENTS = 500;
/** What is asked of an activity is recorded as one value, and the server takes 2 MB. So large events go in smaller batches. */
export const MAX_BATCH_BYTES = 1_500_000;
/** The doors take less; anyone can signal a watch. */
export const MAX_EVENT_BYTES = 1_000_000;
export const MAX_STARTS_PER_CALL = 50;

/** What is remembered for a day or longer is forgotten in coarser steps still. */
export const FORGET_STEP_MS = 600_000;

/** Dedup windows are pruned in steps: one timer for each of thousands of them would be all the watch does. */
export const PRUNE_STEP_MS = 10_000;
