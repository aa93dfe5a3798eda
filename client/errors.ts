import type { Problem } from '#contract/text/problem.js';

/** Every code an error of the SDK can carry. */
export const MESH_ERRORS = {
  'wrong-event': 'An event that was reported is not valid. Nothing of the same report was stored.',
  'not-stored': 'Some events could not be stored in time; the error names them.',
  'not-found': 'There is no such remediation, or the tenant has no watch yet.',
  conflict: 'The remediation is not in a state for that, such as aborting one that has ended.',
  'no-worker': 'Temporal is there, but no worker answers for the workflow.',
  unreachable: 'Temporal does not answer, or not in time.',
  'no-record': 'Nothing of what was judged is kept here: no worker has worked with this state folder.',
  'wrong-argument': 'What was asked for cannot exist, such as a tenant of another form.',
} as const;

export type MeshErrorCode = keyof typeof MESH_ERRORS;

/** What goes wrong in a way that callers may want to tell apart, by `code`. */
export class MeshError extends Error {
  override readonly name: string = 'MeshError';
  constructor(
    readonly code: MeshErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An event that was reported is not valid. Nothing of the same report was stored. */
export class WrongEventError extends MeshError {
  override readonly name = 'WrongEventError';
  constructor(
    message: string,
    readonly problems: Problem[],
  ) {
    super('wrong-event', message);
  }
}

/** Why events were not stored. */
export type NotStoredReason =
  /** The server did not answer, or asked to come later, until the time was over. */
  | 'unreachable'
  /** The watch holds as many events as it safely can; see `WatchFullError`, the cause. */
  | 'watch-full'
  /** This process has too many events waiting to be sent. */
  | 'too-many-waiting'
  /** The server will not take them, however often they are sent. */
  | 'refused'
  /** The connection was closed first. */
  | 'closed';

/**
 * Events that are not known to be stored. Report them again with the same ids: what did get through is then recognised.
 */
export class NotStoredError extends MeshError {
  override readonly name = 'NotStoredError';
  constructor(
    readonly reason: NotStoredReason,
    /** Ids of the events of the report that are not known to be stored. */
    readonly ids: string[],
    /** Ids of the events of the same report that are stored. */
    readonly storedIds: string[],
    options?: ErrorOptions,
  ) {
    const cause = options?.cause instanceof Error ? `: ${innermost(options.cause).message}` : '';
    super(
      'not-stored',
      `${ids.length} of ${ids.length + storedIds.length} events not stored (${reason})${cause}`,
      options,
    );
  }
}

/** Where it began: what wraps it says only what was tried. */
function innermost(error: Error): Error {
  return error.cause instanceof Error ? innermost(error.cause) : error;
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

/** An error and what caused it, each once. */
export function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && !causes.includes(cause); cause = cause.cause) causes.push(cause);
  return causes;
}
