// Sizes and times of workflows.

export const DAY_MS = 86_400_000;

/** Temporal suggests continuing at 4 MiB; large payloads reach that long before the number of events does. */
export const MAX_HISTORY_BYTES = 4 * 1024 * 1024;
