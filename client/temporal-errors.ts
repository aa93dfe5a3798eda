import {
  isGrpcServiceError,
  QueryNotRegisteredError,
  QueryRejectedError,
  ServiceError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { isRefused } from '#adapters/temporal/patient-queries.js';
import { MeshError } from './errors.js';

// What errors of the Temporal client mean to the mesh. The codes are gRPC's.
const DEADLINE_EXCEEDED = 4;
const RESOURCE_EXHAUSTED = 8;
const FAILED_PRECONDITION = 9;
const UNAVAILABLE = 14;
const CANCELLED = 1;

/** A refusal that may well be none a little later. */
export function isPassing(error: unknown): boolean {
  return [CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE].includes(codeOf(error) ?? -1);
}

/** Temporal takes so many signals into one run of a workflow; a watch reaches that only while no worker runs. */
export function isSignalLimit(error: unknown): boolean {
  return detailsOf(error).includes('exceeded workflow execution limit for signal events');
}

/** Turns "not found" and "does not answer" into errors of the mesh; anything else stays what it is. */
export function explainCall(error: unknown, notFound?: string): unknown {
  if (error instanceof WorkflowNotFoundError && notFound !== undefined) {
    return new MeshError('not-found', notFound, { cause: error });
  }
  const isAway = [CANCELLED, DEADLINE_EXCEEDED, UNAVAILABLE].includes(codeOf(error) ?? -1);
  return isAway ? new MeshError('unreachable', 'Temporal does not answer in time', { cause: error }) : error;
}

/**
 * The same for a query, which a worker answers: when none does, `isReachable` tells whether that is the fault of Temporal.
 */
export async function explainQuery(
  error: unknown,
  notFound: string,
  isReachable: () => Promise<boolean>,
): Promise<unknown> {
  if (error instanceof QueryRejectedError) return new MeshError('not-found', notFound, { cause: error });
  if (isRefused(error)) {
    return new MeshError('no-worker', 'the worker is at a task of it all the time: ask again', { cause: error });
  }
  if (error instanceof QueryNotRegisteredError) {
    return new MeshError('no-worker', 'the worker is older than this client: restart it', { cause: error });
  }
  // At the deadline either end may be the first to say so.
  const isUnanswered = [FAILED_PRECONDITION, DEADLINE_EXCEEDED, CANCELLED].includes(codeOf(error) ?? -1);
  if (!isUnanswered || !(await isReachable())) return explainCall(error, notFound);
  return new MeshError('no-worker', 'no worker answers: start one with `npm start`', { cause: error });
}

function codeOf(error: unknown): number | undefined {
  const grpc = grpcErrorIn(error);
  return grpc?.code;
}

function detailsOf(error: unknown): string {
  const grpc = grpcErrorIn(error);
  return grpc ? `${grpc.details} ${grpc.message}` : '';
}

function grpcErrorIn(error: unknown) {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) ? cause : undefined;
}
