import type { Lease } from '../../../../contract/lease.js';
import { type CapacityTarget, type EnsureRequest, type Environment, type Released, TargetFailure } from '../target.js';
import { findScale, findWorkload, type Scale, setReplicas } from './scale-calls.js';
import type { Answered, Line } from './send.js';

/** Others write to the object too; each time it is read again. */
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
    // What should run there is not for the mesh to know.
    createDefault: () => Promise.resolve(undefined),
    async ensure(request, signal) {
      await raise(line, request, signal);
      return { environment: id };
    },
    async verify(_environment, signal) {
      const { wanted, ready } = await findWorkload(line, signal);
      return { ...environmentOf(id, ready), wanted };
    },
    release: (lease, signal) => lower(line, id, lease, signal),
  };
}

/** `<namespace>/<resource>/<name>`. */
function idOf(url: string): string {
  return url.split('/').slice(-3).join('/');
}

function environmentOf(id: string, ready: number): Environment {
  return { id, ready, isDefault: true, isEligible: true };
}

async function raise(
  line: Line,
  { ensure, beforeTaking }: Pick<EnsureRequest, 'ensure' | 'beforeTaking'>,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const scale = await findScale(line, signal);
    if (!scale) throw new TargetFailure(`${idOf(line.base)} is gone`, { isFinal: false });
    const isEnough = scale.wanted >= ensure;
    await beforeTaking(isEnough ? {} : { before: scale.wanted, raisedTo: [ensure] });
    if (isEnough || isDone(await setReplicas(line, ensure, scale.version, signal), attempt)) return;
  }
}

function isDone(answered: Answered<Scale>, attempt: number): boolean {
  if (answered.ok) return true;
  if (answered.status !== 409) throw answered.failure;
  if (attempt < MAX_CONFLICTS) return false;
  throw new TargetFailure(answered.failure.message, { isFinal: false });
}

async function lower(
  line: Line,
  id: string,
  { environment, before, raisedTo = [] }: Lease,
  signal: AbortSignal,
): Promise<Released> {
  if (environment !== id) return left(`The bridge is another one now: ${environment} is left as it is`);
  if (before === undefined) return left(`${id} had enough replicas by itself`);
  for (let attempt = 1; ; attempt++) {
    const scale = await findScale(line, signal);
    if (!scale) return left(`${id} is gone`);
    const { wanted, version } = scale;
    if (wanted === before) return { isLeft: false, detail: `${id} has ${before} replicas, as before` };
    if (!raisedTo.includes(wanted)) {
      return left(`${id} has ${wanted} replicas, which the mesh did not set: it is left as it is`);
    }
    if (isDone(await setReplicas(line, before, version, signal), attempt)) {
      return { isLeft: false, detail: `${id} went back from ${wanted} to ${before} replicas` };
    }
  }
}

function left(detail: string): Released {
  return { isLeft: true, detail };
}
