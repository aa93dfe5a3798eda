/** What a timer takes; more would make it run off at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
