/** Actions of a rule. Each is an activity or more of one remediation, whose history the server ends at 50 MB. */
export const MAX_ACTIONS = 20;

/** Rules that one event may fire. Each starts a remediation, and all of one event are started in one go. */
export const MAX_FIRED_RULES = 50;

/**
 * Actions of all rules that an event is judged by: what it is judged by goes into the history of the watch, and the verdicts on it
 * go from run to run.
 */
export const MAX_JUDGED_ACTIONS = MAX_FIRED_RULES * MAX_ACTIONS;

/** Deliveries of one message. Each is an activity, with the message as its input. */
export const MAX_RECEIVERS = 100;

/** Messages that a worker writes and delivers at once: they wait for others most of the time, and cost little. */
export const MAX_MESSAGES = 200;
