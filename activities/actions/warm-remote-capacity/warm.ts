import type { WarmPlan } from '../../../contract/actions/warm-remote-capacity/schema.js';
import type { Lease } from '../../../contract/lease.js';
import { awaitReady } from './await-ready.js';
import { REASONS } from './reasons.js';
import { statusOf } from './status-of.js';
import type { CapacityTarget, Environment, TargetStatus } from './target.js';
import type { TimeLimit } from './time-limit.js';

export type Warmed = { status: 'executed'; detail: string } | { status: 'skipped'; reason: string; detail?: string };

export interface WarmRequest {
  plan: WarmPlan;
  tenant: string;
  /** The same for every attempt, so that a request that is sent again says the same. */
  firstTriedAt: number;
  keepLease(lease: Lease): Promise<void>;
}

/** The steps in their order: each is a reason to stop before anything was taken, until the one that takes. */
export async function warm(target: CapacityTarget, request: WarmRequest, limit: TimeLimit): Promise<Warmed> {
  const { plan } = request;
  const answer = await statusOf(target, limit.signal);
  if ('unavailable' in answer) return skipped(REASONS.statusUnavailable, answer.unavailable);
  const refusal = refusalOf(answer.status);
  if (refusal !== undefined) return skipped(refusal);
  const chosen = await chooseEnvironment(target, plan, limit.signal);
  if (!chosen) return skipped(REASONS.noEnvironment);

  const environment = await take(target, chosen, request, limit.signal);
  await awaitReady(target, { environment, ensure: plan.ensure }, limit);
  return { status: 'executed', detail: `Remote capacity warmed for environment ${environment}` };
}

function skipped(reason: string, detail?: string): Warmed {
  return { status: 'skipped', reason, ...(detail !== undefined && { detail }) };
}

function refusalOf({ allowsRemoteSessions, isActive, preconditions }: TargetStatus): string | undefined {
  if (!allowsRemoteSessions) return REASONS.blockedByPolicy;
  if (!isActive) return REASONS.notActive;
  const failed = preconditions.filter(({ ok }) => !ok);
  if (failed.length === 0) return undefined;
  return REASONS.preconditionsFailed(failed.map(({ name, reason }) => (reason ? `${name} (${reason})` : name)));
}

/** The default one, or else the first. */
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

/** The lease is there before anything is taken: whatever ends this attempt then, the capacity is given back in time. */
async function take(
  target: CapacityTarget,
  { id }: Environment,
  { plan, tenant, firstTriedAt, keepLease }: WarmRequest,
  signal: AbortSignal,
): Promise<string> {
  const { ensure, effectKey } = plan;
  const untilAt = endOfLease(firstTriedAt, plan.forMs, Date.now());
  const lease = { tenant, environment: id, ensure, untilAt, effectKey };
  const { environment } = await target.ensure(
    {
      environment: id,
      ensure,
      untilAt,
      effectKey,
      beforeTaking: (wayBack) => keepLease({ ...lease, ...wayBack }),
    },
    signal,
  );
  // Another one than was asked for, such as the one that took the request the first time.
  if (environment !== id) await keepLease({ ...lease, environment });
  return environment;
}

/** Moved on by half a lease at a time, when attempts take so long that little of the lease would be left. */
export function endOfLease(firstTriedAt: number, forMs: number, now: number): number {
  const halves = Math.max(0, Math.floor((2 * (now - firstTriedAt)) / forMs));
  return Math.round(firstTriedAt + forMs * (1 + halves / 2));
}
