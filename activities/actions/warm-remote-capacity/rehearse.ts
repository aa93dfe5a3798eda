import type { MeshConfig } from '../../../config/mesh-config.js';
import type { Bridge } from '../../../config/sections/bridge.js';
import type { WarmPlan } from '../../../contract/actions/warm-remote-capacity/schema.js';
import type { Lease } from '../../../contract/lease.js';
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../adapters/outbound/create-outbound.js';
import { targetOf } from './open-target.js';
import { warm } from './warm.js';

export interface Rehearsal {
  /** In order, each once. Secrets in them are as the configuration writes them. */
  requests: OutboundRequest[];
  leases: Lease[];
}

export interface Rehearsed {
  bridge: Bridge;
  plan: WarmPlan;
  tenant: string;
  config: MeshConfig;
  /** As if there were no environment yet. */
  isEmpty?: boolean;
}

/** Warms up with the code that does it, on the word of the other side that all is well: nothing is sent anywhere. */
export async function rehearse({ bridge, plan, tenant, config, isEmpty = false }: Rehearsed): Promise<Rehearsal> {
  const requests: OutboundRequest[] = [];
  const leases: Lease[] = [];
  const { signal } = new AbortController();
  const answerTo = bridge.kind === 'http' ? asBridge(plan, isEmpty) : asKubernetes(plan);
  const outbound: Outbound = {
    async send({ signal: _signal, ...request }) {
      if (!requests.some((one) => JSON.stringify(one) === JSON.stringify(request))) requests.push(request);
      return answered(answerTo(request));
    },
    close: () => Promise.resolve(),
  };
  const target = targetOf(bridge, { outbound, policy: config.outbound, token: bridge.token, ca: bridge.ca });
  const keepLease = async (lease: Lease) => void leases.push(lease);
  await warm(
    target,
    { plan, tenant, firstTriedAt: Date.now(), keepLease },
    { signal, endsAt: Infinity, timeoutMs: plan.timeoutMs },
  );
  return { requests, leases };
}

type Answer = (request: OutboundRequest) => unknown;

const ENVIRONMENT = 'ITS-DEFAULT-ENVIRONMENT';

/** What a bridge says that has one environment, with everything ready. */
function asBridge({ ensure }: WarmPlan, isEmpty: boolean): Answer {
  const environment = { id: ENVIRONMENT, ready: ensure, default: true, eligible: true };
  return ({ method, url }) => {
    if (url.endsWith('/v1/status')) return { active: true };
    if (url.endsWith('/v1/capacity')) return { environment: ENVIRONMENT };
    if (url.endsWith('/v1/environments') && method === 'GET') return { environments: isEmpty ? [] : [environment] };
    return environment;
  };
}

/** What Kubernetes says of an object without replicas, which has them at once when it is told to. */
function asKubernetes({ ensure }: WarmPlan): Answer {
  let replicas = 0;
  return ({ method }) => {
    if (method === 'PATCH') replicas = ensure;
    const status = { replicas, readyReplicas: replicas };
    return { metadata: { resourceVersion: 'AS-IT-WAS-READ' }, spec: { replicas }, status };
  };
}

function answered(body: unknown): OutboundAnswer {
  return { kind: 'answered', status: 200, headers: {}, text: JSON.stringify(body) };
}
