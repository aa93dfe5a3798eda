/** A problem of the person at the terminal, whose message is all they need to see. */
export class CliError extends Error {
  override readonly name = 'CliError';
}
