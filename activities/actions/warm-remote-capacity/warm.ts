import { Context } from '@temporalio/activity';
import type { WarmPlan } from '#contract/actions/warm-remote-capacity/schema.js';
import type { Lease, RestorePoint } from '#contract/lease.js';
import type { TimeLimit } from './attempt.js';
import { type CapacityTarget, type Environment, TargetFailure, type TargetStatus } from './target.js';

/** Why this action did nothing, in the words of the rule format. Rules and people know them by these. */
export const REASONS = {
  blockedByPolicy: 'Remote sessions are blocked by policy',
  notActive: 'Bridge is not active; warm_remote_capacity is a safe no-op',
  statusUnavailable: 'Bridge status unavailable; warm_remote_capacity skipped',
  preconditionsFailed: (failed: string[]) => `Remote warm-up preconditions failed: ${failed.join(', ')}`,
  noEnvironment: 'No eligible remote environment available for warm-up',
} as const;

export type Warmed =
  { status: 'executed'; detail: string; leaseUntilAt: number } | { status: 'skipped'; reason: string; detail?: string };

export interface WarmRequest {
  plan: WarmPlan;
  tenant: string;
  targetHash: string;
  /** The same for every attempt, so that a repeated request says the same. */
  firstTriedAt: number;
  keepLease(lease: Lease): Promise<void>;
}

/** The steps in order. Each may stop the action before anything is taken, until the one that takes. */
export async function warm(target: CapacityTarget, request: WarmRequest, limit: TimeLimit): Promise<Warmed> {
  const { plan } = request;
  const answer = await statusOf(target, limit.signal);
  if ('unavailable' in answer) return skipped(REASONS.statusUnavailable, answer.unavailable);
  const refusal = refusalOf(answer.status);
  if (refusal !== undefined) return skipped(refusal);
  const chosen = await chooseEnvironment(target, plan, limit.signal);
  if (!chosen) return skipped(REASONS.noEnvironment);

  const { environment, untilAt } = await take(target, chosen, request, limit.signal);
  await awaitReady(target, { environment, ensure: plan.ensure }, limit);
  const detail = `Remote capacity warmed for environment ${environment}`;
  return { status: 'executed', detail, leaseUntilAt: untilAt };
}

function skipped(reason: string, detail?: string): Warmed {
  return { status: 'skipped', reason, ...(detail !== undefined && { detail }) };
}

const TRIES = 2;
const PAUSE_MS = 250;
/** A target that asks for a longer pause counts as unavailable. */
const LONGEST_PAUSE_MS = 1_000;

type StatusAnswer = { status: TargetStatus } | { unavailable: string };

/** Whether the target can be used at all. This action only helps, so it does not wait long for an answer. */
async function statusOf(target: CapacityTarget, signal: AbortSignal): Promise<StatusAnswer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { status: await target.status(signal) };
    } catch (error) {
      if (!(error instanceof TargetFailure)) throw error;
      const { message, isFinal, retryAfterMs = PAUSE_MS } = error;
      if (attempt === TRIES || isFinal || signal.aborted || retryAfterMs > LONGEST_PAUSE_MS) {
        return { unavailable: message };
      }
      await Context.current().sleep(Math.max(retryAfterMs, PAUSE_MS));
    }
  }
}

function refusalOf({ allowsRemoteSessions, isActive, preconditions }: TargetStatus): string | undefined {
  if (!allowsRemoteSessions) return REASONS.blockedByPolicy;
  if (!isActive) return REASONS.notActive;
  const failed = preconditions.filter(({ ok }) => !ok);
  if (failed.length === 0) return undefined;
  return REASONS.preconditionsFailed(failed.map(({ name, reason }) => (reason ? `${name} (${reason})` : name)));
}

/** The default environment, or else the first. */
async function chooseEnvironment(
  target: CapacityTarget,
  { createDefaultEnvironmentIfMissing, effectKey }: WarmPlan,
  signal: AbortSignal,
): Promise<Environment | undefined> {
  const eligible = (await target.list(signal)).filter(({ isEligible }) => isEligible);
  const found = eligible.find(({ isDefault }) => isDefault) ?? eligible[0];
  if (found || createDefaultEnvironmentIfMissing !== true) return found;
  return target.createDefault(effectKey, signal);
}

/** The lease is there before anything is taken, so the capacity is given back in time whatever ends this attempt. */
async function take(
  target: CapacityTarget,
  { id }: Environment,
  { plan, tenant, targetHash, firstTriedAt, keepLease }: WarmRequest,
  signal: AbortSignal,
): Promise<{ environment: string; untilAt: number }> {
  const { ensure, effectKey } = plan;
  const leaseOn = async (environment: string, restorePoint?: RestorePoint) => {
    const untilAt = endOfLease(firstTriedAt, plan.forMs, Date.now());
    const lease = { tenant, environment, ensure, untilAt, effectKey, targetHash };
    await keepLease({ ...lease, ...(restorePoint && { restorePoint }) });
    return untilAt;
  };
  const request = { environment: id, ensure, effectKey };
  // What the target was told last.
  let untilAt = 0;
  const keep = async (restorePoint?: RestorePoint) => (untilAt = await leaseOn(id, restorePoint));
  const { environment } = await target.ensure({ ...request, keepLease: keep }, signal);
  // The target answered with another environment, such as the one that took the request the first time.
  if (environment !== id) await leaseOn(environment);
  return { environment, untilAt };
}

/** Moves the end on by half a lease at a time, when attempts take so long that little of the lease would be left. */
export function endOfLease(firstTriedAt: number, forMs: number, now: number): number {
  const halves = Math.max(0, Math.floor((2 * (now - firstTriedAt)) / forMs));
  return Math.round(firstTriedAt + forMs * (1 + halves / 2));
}

const FIRST_PAUSE_MS = 250;
const LONGEST_WAIT_MS = 2_000;

interface Wanted {
  environment: string;
  ensure: number;
}

/** Looks at the environment until it has what was asked for. That a request was accepted does not mean it is ready. */
async function awaitReady(target: CapacityTarget, { environment, ensure }: Wanted, limit: TimeLimit): Promise<void> {
  let last: TargetFailure | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_WAIT_MS)) {
    const seen = await lookAt(target, environment, limit.signal);
    let waitMs = pauseMs;
    if (seen instanceof TargetFailure) {
      // A look that fails says less than what was seen before it.
      last ??= seen;
      waitMs = Math.max(pauseMs, seen.retryAfterMs ?? 0);
    } else {
      const { ready, wanted = ensure } = seen;
      // There is nothing to wait for: a lease that has just ended may have given it back. The next attempt asks again.
      if (wanted < ensure) throw failure(`environment ${environment} was lowered to ${wanted} meanwhile`);
      if (ready >= ensure) return;
      last = failure(`environment ${environment} has ${ready} of ${ensure} ready within ${limit.timeoutMs}ms`);
    }
    if (Date.now() + waitMs >= limit.endsAt) throw last;
    await Context.current().sleep(waitMs);
  }
}

/** Answers a failure that may pass, and throws any other. */
async function lookAt(
  target: CapacityTarget,
  environment: string,
  signal: AbortSignal,
): Promise<Environment | TargetFailure> {
  try {
    return await target.verify(environment, signal);
  } catch (error) {
    if (error instanceof TargetFailure && !error.isFinal) return error;
    throw error;
  }
}

function failure(message: string): TargetFailure {
  return new TargetFailure(message, { isFinal: false });
}
