// Sizes and times of workflows.

export const DAY_MS = 86_400_000;

/** Temporal suggests continuing at 4 MiB; large payloads reach that long before the number of events does. */
export const MAX_HISTORY_BYTES = 4 * 1024 * 1024;
/** How long an action that is not done yet may hold up the ones after it. */
export const PATIENCE_MS = 30_000;
/** A message mostly takes a second, and waits on a receiver that is in trouble: the next action may be to page somebody. */
export const MESSAGE_PATIENCE_MS = 5_000;
