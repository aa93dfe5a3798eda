import { EXIT_CODES, type ExitCode } from './exit-codes.js';

/** A problem of the person at the terminal, whose message is all they need to see. */
export class CliError extends Error {
  override readonly name = 'CliError';
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT_CODES.refused,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
