import type { Lease, RestorePoint } from '#contract/lease.js';
import { type CapacityTarget, type Environment, type Released, TargetFailure } from '../target.js';
import { findScale, findWorkload, type Scale, setReplicas } from './scale-calls.js';
import type { Answered, Line } from './send.js';

const NEVER = new AbortController().signal;

/** Others write to the object too. After each conflict it is read again. */
const MAX_CONFLICTS = 5;

/**
 * One object of a Kubernetes API that can be scaled, such as a Deployment: its replicas are the capacity. They are only ever
 * raised, and lowered again to what was there before, unless somebody else has set them since.
 */
export function makeKubernetesScale(line: Line): CapacityTarget {
  const id = idOf(line.base);
  return {
    async status(signal) {
      await findScale(line, signal);
      return { isActive: true, allowsRemoteSessions: true, preconditions: [] };
    },
    async list(signal) {
      const scale = await findScale(line, signal);
      return scale ? [environmentOf(id, scale.running)] : [];
    },
    // The mesh does not know what should run there.
    createDefault: () => Promise.resolve(undefined),
    async ensure(request, signal) {
      await raise(line, request.ensure, request.keepLease, signal);
      return { environment: id };
    },
    async verify(_environment, signal) {
      const { wanted, ready } = await findWorkload(line, signal);
      return { ...environmentOf(id, ready), wanted };
    },
    release: (lease, signal) => lower(line, id, lease, signal),
    reacquire: (lease, signal) => raiseAgain(line, lease, signal),
  };
}

/** `<namespace>/<resource>/<name>`. */
function idOf(url: string): string {
  return url.split('/').slice(-3).join('/');
}

function environmentOf(id: string, ready: number): Environment {
  return { id, ready, isDefault: true, isEligible: true };
}

/** The lease is told before the raise, since the worker may die, and again after it, since the lease may have ended meanwhile. */
async function raise(
  line: Line,
  ensure: number,
  tellLease: (restorePoint?: RestorePoint) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const scale = await findScale(line, signal);
    if (!scale) throw new TargetFailure(`${idOf(line.base)} is gone`, { isFinal: false });
    const { wanted, version } = scale;
    if (wanted >= ensure) return void (await tellLease());
    const tell = () => tellLease({ originalCount: wanted, countsSetByMesh: [ensure] });
    await tell();
    const answered = await setReplicas(line, ensure, version, signal).catch(async (error: unknown) => {
      // Without an answer nobody knows whether the replicas were raised.
      await tell();
      throw error;
    });
    if (answered.ok) await tell();
    if (isDone(answered, attempt)) return;
  }
}

function isDone(answered: Answered<Scale>, attempt: number): boolean {
  if (answered.ok) return true;
  if (answered.status !== 409) throw answered.failure;
  if (attempt < MAX_CONFLICTS) return false;
  throw new TargetFailure(answered.failure.message, { isFinal: false });
}

async function lower(line: Line, id: string, { restorePoint }: Lease, signal: AbortSignal): Promise<Released> {
  if (!restorePoint) return left(`${id} had enough replicas by itself`);
  const { originalCount, countsSetByMesh } = restorePoint;
  for (let attempt = 1; ; attempt++) {
    const scale = await findScale(line, signal);
    if (!scale) return left(`${id} is gone`);
    const { wanted, version } = scale;
    if (wanted === originalCount)
      return { isLeftAlone: false, detail: `${id} has ${originalCount} replicas, as before` };
    if (!countsSetByMesh.includes(wanted)) {
      return left(`${id} has ${wanted} replicas, which the mesh did not set: it is left as it is`);
    }
    signal.throwIfAborted();
    // Once sent it is waited for, even if the release is called off: whoever asks then must look at the number after it.
    if (isDone(await setReplicas(line, originalCount, version, NEVER), attempt)) {
      return { isLeftAlone: false, detail: `${id} went back from ${wanted} to ${originalCount} replicas` };
    }
  }
}

function left(detail: string): Released {
  return { isLeftAlone: true, detail };
}

async function raiseAgain(
  line: Line,
  { ensure, restorePoint }: Lease,
  signal: AbortSignal,
): Promise<RestorePoint | undefined> {
  // Nothing was raised, so nothing can have been lowered.
  if (!restorePoint) return undefined;
  let raisedFrom: RestorePoint | undefined;
  await raise(line, ensure, async (told) => void (raisedFrom = told), signal);
  return raisedFrom;
}
