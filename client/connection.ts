import {
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  isGrpcServiceError,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { Environment, Settings } from '#contract/settings.js';
import { shellWord } from '#contract/text/shell-word.js';
import { causesOf } from './errors.js';

export interface ConnectionSettings {
  address: string;
  namespace: string;
  /** TLS, API key and metadata, as Temporal's own settings gave them. */
  options: Omit<ReturnType<typeof loadClientConnectConfig>['connectionOptions'], 'address'>;
  /** False when nothing named a server: then it is the local dev server. */
  isGiven: boolean;
}

/** A server that is there answers in milliseconds; who waits at a terminal should not wait for the SDK's ten seconds. */
export const CONNECT_TIMEOUT_MS = 4_000;

/** Where Temporal is, by Temporal's own conventions: environment, then profile file; else the local dev server. */
export function readConnection(settings: Settings, env: Environment): ConnectionSettings {
  const { connectionOptions, namespace } = loadClientConnectConfig({
    overrideEnvVars: Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('TEMPORAL_'))) as Record<
      string,
      string
    >,
  });
  const { address, ...options } = connectionOptions;
  return {
    address: address ?? `127.0.0.1:${settings.temporalPort}`,
    namespace: namespace ?? 'default',
    options,
    isGiven: address !== undefined,
  };
}

/** How the client reaches that server: with retries that suit the mesh, and back soon after the server was away. */
export function connectionOptions(
  { address, options }: ConnectionSettings,
  isClosing: () => boolean,
): ConnectionOptions {
  return {
    address,
    ...options,
    connectTimeout: CONNECT_TIMEOUT_MS,
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 1_000 },
    interceptors: [quickRetries(isClosing)],
  };
}

const RESOURCE_EXHAUSTED = 8;
/** Enough for any deadline: how long a call is tried is said by its deadline alone. */
const MAX_ATTEMPTS = 10_000;

/**
 * A watch that is just continuing as new refuses signals for a moment. The SDK's default would wait a second for that, and
 * ever longer; here it asks again soon.
 */
function quickRetries(isClosing: () => boolean) {
  const { delayFunction, retryableDecider } = defaultGrpcRetryOptions({
    factor: 1.5,
    maxAttempts: MAX_ATTEMPTS,
    initialIntervalMs: (status) => (Number(status.code) === RESOURCE_EXHAUSTED ? 40 : 100),
    maxIntervalMs: () => 1_000,
  });
  return makeGrpcRetryInterceptor({
    delayFunction,
    retryableDecider: (attempt, status) => !isClosing() && retryableDecider(attempt, status),
  });
}

/** An error of the connection as one line that says what to do. */
export function explainConnectionError(error: unknown, where: ConnectionSettings): string | undefined {
  const { address, namespace, isGiven } = where;
  if (causesOf(error).some((cause) => cause instanceof NamespaceNotFoundError)) {
    const make = `temporal operator namespace create ${shellWord(namespace)}`;
    return `Temporal at ${address} has no namespace ${namespace}: check TEMPORAL_NAMESPACE, or make it: ${make}`;
  }
  const isUnreachable = causesOf(error).some(
    (cause) =>
      (isGrpcServiceError(cause) && [4, 14].includes(cause.code)) ||
      /Failed to connect|ECONNREFUSED|DEADLINE_EXCEEDED|UNAVAILABLE/i.test(cause.message),
  );
  if (!isUnreachable) return undefined;
  return `Temporal is not reachable at ${address}: ${isGiven ? fixOf(address) : LOCAL_FIX}.`;
}

const LOCAL_FIX = 'start it with `npm start`, or set TEMPORAL_ADDRESS';

function fixOf(address: string): string {
  return /:\d+$/.test(address)
    ? 'check TEMPORAL_ADDRESS and that the server runs'
    : 'TEMPORAL_ADDRESS names no port; write host:port, such as localhost:7233';
}
