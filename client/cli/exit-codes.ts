/** What scripts tell apart; the table is in docs/operations.md. */
export const EXIT_CODES = {
  done: 0,
  /** Wrong input, not found, or not possible now. */
  refused: 1,
  unreachable: 2,
  noWorker: 3,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
