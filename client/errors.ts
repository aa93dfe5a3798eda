import type { Problem } from '../contract/problem.js';

/** An event that was reported is not valid. Nothing of the same report was stored. */
export class WrongEventError extends Error {
  override readonly name = 'WrongEventError';
  constructor(
    message: string,
    readonly problems: Problem[],
  ) {
    super(message);
  }
}

/** The watch waits for a worker, or for rules that can be read, and holds as much as it safely can. Report again later. */
export class WatchFullError extends Error {
  override readonly name = 'WatchFullError';
  constructor(
    readonly tenant: string,
    readonly waitingBytes: number,
  ) {
    super(
      `The watch of tenant ${tenant} holds ${waitingBytes} bytes that are not judged yet and takes no more:` +
        ' check that a worker runs and that its rules can be read.',
    );
  }
}
