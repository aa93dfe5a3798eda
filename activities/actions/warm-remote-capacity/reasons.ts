/** Why this action did nothing, in the words of the rule format. Rules and people know them by these. */
export const REASONS = {
  blockedByPolicy: 'Remote sessions are blocked by policy',
  notActive: 'Bridge is not active; warm_remote_capacity is a safe no-op',
  statusUnavailable: 'Bridge status unavailable; warm_remote_capacity skipped',
  preconditionsFailed: (failed: string[]) => `Remote warm-up preconditions failed: ${failed.join(', ')}`,
  noEnvironment: 'No eligible remote environment available for warm-up',
} as const;
