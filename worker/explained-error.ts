/** Something a person can mend, whose message says how. */
export class ExplainedError extends Error {
  override readonly name = 'ExplainedError';
}
