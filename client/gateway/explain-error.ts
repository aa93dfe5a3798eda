import { isGrpcServiceError, NamespaceNotFoundError } from '@temporalio/client';
import {
  causesOf,
  MeshError,
  type MeshErrorCode,
  NotStoredError,
  type NotStoredReason,
  WrongEventError,
} from '../errors.js';
import { GatewayProblem } from './gateway-problem.js';
import type { ProblemCode } from './problem-codes.js';

/** Turns any error into an answer. An error that nobody foresaw is `internal`, and its answer says nothing of the inside. */
export function explainError(error: unknown): GatewayProblem {
  if (error instanceof GatewayProblem) return error;
  if (error instanceof NotStoredError) return explainNotStored(error);
  if (error instanceof WrongEventError) {
    return new GatewayProblem('invalid-event', undefined, { problems: error.problems });
  }
  if (error instanceof MeshError) return explainMeshError(error);
  return (
    explainFastifyError(error) ??
    explainTemporalError(error) ??
    new GatewayProblem('internal', undefined, {}, { cause: error })
  );
}

const RETRY_AFTER_SECONDS: Partial<Record<ProblemCode, number>> = {
  unavailable: 5,
  'watch-full': 30,
  'too-many-waiting': 1,
  'no-worker': 5,
  stopping: 5,
};

const NOT_STORED: Record<NotStoredReason, ProblemCode> = {
  unreachable: 'unavailable',
  'watch-full': 'watch-full',
  'too-many-waiting': 'too-many-waiting',
  refused: 'not-taken',
  closed: 'stopping',
};

function explainNotStored(error: NotStoredError): GatewayProblem {
  const code = NOT_STORED[error.reason];
  return refuse(code, undefined, error, { stored: error.storedIds, notStored: error.ids });
}

const MESH_ERRORS: Record<MeshErrorCode, ProblemCode> = {
  'wrong-event': 'invalid-event',
  'not-stored': 'unavailable',
  'not-found': 'not-found',
  conflict: 'conflict',
  'no-worker': 'no-worker',
  'no-record': 'no-record',
  unreachable: 'unavailable',
  'wrong-argument': 'invalid-request',
};

/** Their messages are written for people, by the SDK itself. */
function explainMeshError(error: MeshError): GatewayProblem {
  return refuse(MESH_ERRORS[error.code], error.message, error);
}

const FASTIFY_ERRORS: Record<string, ProblemCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-media-type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed-http',
  FST_ERR_BAD_URL: 'malformed-http',
  FST_ERR_MAX_PARAM_LENGTH: 'invalid-request',
  // The body broke off.
  ECONNRESET: 'malformed-http',
  ECONNABORTED: 'malformed-http',
};

function explainFastifyError(error: unknown): GatewayProblem | undefined {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = FASTIFY_ERRORS[code];
  return known && refuse(known, undefined, error);
}

/** The codes of gRPC. */
const TEMPORAL_ERRORS: Record<number, ProblemCode> = {
  1: 'unavailable', // CANCELLED
  3: 'invalid-request', // INVALID_ARGUMENT, such as a page that is none
  4: 'unavailable', // DEADLINE_EXCEEDED
  5: 'not-found', // NOT_FOUND
  7: 'not-taken', // PERMISSION_DENIED: what the gateway shows Temporal is not accepted
  8: 'unavailable', // RESOURCE_EXHAUSTED
  14: 'unavailable', // UNAVAILABLE
  16: 'not-taken', // UNAUTHENTICATED
};

function explainTemporalError(error: unknown): GatewayProblem | undefined {
  for (const cause of causesOf(error)) {
    // The caller has made no mistake.
    if (cause instanceof NamespaceNotFoundError) return refuse('not-taken', undefined, error);
    const code = isGrpcServiceError(cause) ? TEMPORAL_ERRORS[cause.code] : undefined;
    if (code !== undefined) return refuse(code, undefined, error);
    if (/^(Failed to connect|.*ECONNREFUSED)/.test(cause.message)) return refuse('unavailable', undefined, error);
  }
  return undefined;
}

function refuse(code: ProblemCode, detail: string | undefined, cause: unknown, extras = {}): GatewayProblem {
  const retryAfterSeconds = RETRY_AFTER_SECONDS[code];
  return new GatewayProblem(
    code,
    detail,
    { ...extras, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
    { cause },
  );
}
