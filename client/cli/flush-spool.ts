import type { Environment, Settings } from '#contract/settings.js';
import { NotStoredError } from '../errors.js';
import { drain, type Drained, type DrainOptions } from '../spool/drain.js';
import { listEntries, mayPost, mayStoreStraight } from '../spool/entries.js';
import { CliError } from './cli-error.js';
import { EXIT_CODES } from './exit-codes.js';
import { type GatewayTarget, targetOf, tokenIn } from './hook/hook-options.js';
import { GatewayError, postEvents } from './hook/post-events.js';
import { namesTemporal } from './hook/temporal.js';
import { withMesh } from './open-mesh.js';
import { messageOf } from '#contract/text/words.js';

export interface FlushOptions {
  folder: string;
  home: string;
  gateway: string | undefined;
  settings: Settings;
  env: Environment;
}

export interface Flushed {
  /** Where the events went. */
  to: string;
  sent: number;
  refused: number;
  /** Why something stays, for people. */
  problems: string[];
  /** The way there ended at somebody who could not store anything now. */
  isUnreachable: boolean;
}

/** Someone waits for it, but not an agent. */
const ANSWER_WITHIN_MS = 20_000;

/** Sends what waits by the same ways as a hook, with more patience. Undefined when nothing waits. */
export async function flushSpool({ folder, home, gateway, settings, env }: FlushOptions): Promise<Flushed | undefined> {
  const problems: string[] = [];
  const log = (line: string) => void problems.push(line);
  if ((await listEntries(folder)).length === 0) return undefined;

  const send = (how: Omit<DrainOptions, 'folder' | 'log'>) => drain({ folder, log, ...how });
  const target = targetOf(gateway, settings);
  if (target !== undefined) {
    const drained = await sendToGateway(target, settings.token ?? tokenIn(home, problems), send);
    const { failure } = drained;
    const isAbsent = failure instanceof GatewayError && failure.isAbsent;
    if (!isAbsent) return { to: `the gateway at ${target.url}`, ...outcomeOf(drained, problems) };
    if (!target.isLocal && !namesTemporal(env)) throw new CliError(failure.message, EXIT_CODES.unreachable);
  }
  const drained = await withMesh((mesh) =>
    send({
      send: async (events) => void (await mesh.report(events)),
      eventOf: (entry) => (mayStoreStraight(entry) ? entry.event : undefined),
    }),
  );
  return { to: 'Temporal', ...outcomeOf(drained, problems) };
}

function sendToGateway(
  { url }: GatewayTarget,
  token: string | undefined,
  send: (how: Omit<DrainOptions, 'folder' | 'log'>) => Promise<Drained>,
): Promise<Drained> {
  return send({
    send: (events) => postEvents({ url, token }, events, ANSWER_WITHIN_MS),
    eventOf: (entry) => (mayPost(entry, token) ? entry.event : undefined),
    isOfTenant: (error) => error instanceof GatewayError && error.isOfTenant,
  });
}

function outcomeOf({ sent, refused, ended, failure }: Drained, problems: string[]): Omit<Flushed, 'to'> {
  if (failure !== undefined) problems.push(messageOf(failure));
  if (ended === 'busy') problems.push('another process is sending what waits');
  const isUnreachable =
    (failure instanceof GatewayError && (failure.status ?? 503) === 503) ||
    (failure instanceof NotStoredError && failure.reason === 'unreachable');
  return { sent, refused, problems, isUnreachable };
}
