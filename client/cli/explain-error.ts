import { isGrpcServiceError } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '#contract/names.js';
import type { Environment, Settings } from '#contract/settings.js';
import { causesOf, MeshError, NotStoredError } from '../errors.js';
import { explainConnectionError, readConnection } from '../connection.js';
import { CliError } from './cli-error.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';

export interface Explained {
  /** For the person at the terminal: what went wrong, and what to do. */
  message: string;
  exitCode: ExitCode;
}

/** Any error as one line and an exit code. */
export function explainError(error: unknown, settings: Settings, env: Environment): Explained {
  if (error instanceof CliError) return { message: error.message, exitCode: error.exitCode };
  const unreachable = explainUnreachable(error, settings, env);
  if (error instanceof NotStoredError) return explainNotStored(error, unreachable ?? explainUnprepared(error));
  if (error instanceof MeshError && error.code === 'unreachable') {
    return { message: unreachable ?? error.message, exitCode: EXIT_CODES.unreachable };
  }
  if (error instanceof MeshError) {
    return {
      message: error.message,
      exitCode: error.code === 'no-worker' ? EXIT_CODES.noWorker : EXIT_CODES.refused,
    };
  }
  if (unreachable !== undefined) return { message: unreachable, exitCode: EXIT_CODES.unreachable };
  return { message: explainUnprepared(error) ?? messageOf(error), exitCode: EXIT_CODES.refused };
}

/** Broken connection settings are themselves the error then, and can explain no other. */
function explainUnreachable(error: unknown, settings: Settings, env: Environment): string | undefined {
  try {
    return explainConnectionError(error, readConnection(settings, env));
  } catch {
    return undefined;
  }
}

/** A namespace that the mesh has never been used in: mostly another one is meant. */
function explainUnprepared(error: unknown): string | undefined {
  return causesOf(error).some(({ message }) => LACKS_ATTRIBUTE.test(message)) ? NOT_PREPARED : undefined;
}

const LACKS_ATTRIBUTE = new RegExp(`search attribute:? (${Object.keys(SEARCH_ATTRIBUTES).join('|')})\\b`);

const NOT_PREPARED = [
  'this namespace of Temporal is not set up for the mesh',
  'If TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE name the one that `npm start` uses, register what it lacks, once: npx mesh setup-server',
].join('\n');

const NOT_STORED_FIXES: Record<NotStoredError['reason'], string> = {
  unreachable: 'Temporal did not take them in time',
  'watch-full': 'the watch takes no more until it has judged what waits; see `npx mesh status`',
  'too-many-waiting': 'they are too large to be sent at once: send them in parts',
  refused: 'the server refused them',
  closed: 'the connection was closed first',
};

/** Which events are stored and which are not: without that, nobody knows what to send again. `known`: why not, if that is clear. */
function explainNotStored(error: NotStoredError, known: string | undefined): Explained {
  const { ids, storedIds, reason, cause } = error;
  const why = known ?? [NOT_STORED_FIXES[reason], ...(cause instanceof Error ? [messageOf(cause)] : [])].join(': ');
  return {
    message: [
      why,
      `Not known to be stored (${ids.length}): ${list(ids)}`,
      ...(storedIds.length > 0 ? [`Stored (${storedIds.length}): ${list(storedIds)}`] : []),
      'Send them again with the same ids: what is stored already is recognised.',
    ].join('\n'),
    exitCode: reason === 'unreachable' ? EXIT_CODES.unreachable : EXIT_CODES.refused,
  };
}

const LISTED_IDS = 50;

function list(ids: string[]): string {
  const more = ids.length > LISTED_IDS ? [`… and ${ids.length - LISTED_IDS} more`] : [];
  return [...ids.slice(0, LISTED_IDS), ...more].join(', ');
}

/** What Temporal answered says more than that it answered with an error. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return isGrpcServiceError(cause) && !error.message.includes(cause.details)
    ? `${error.message}: ${cause.details}`
    : error.message;
}
