import type { MeshConfig } from '#config/mesh-config.js';
import type { Bridge } from '#config/sections/bridge.js';
import type { WarmPlan } from '#contract/actions/warm-remote-capacity/schema.js';
import type { Lease } from '#contract/lease.js';
import type { Outbound, OutboundAnswer, OutboundRequest } from '#adapters/http/create-outbound.js';
import { targetOf } from './open-target.js';
import { hashTarget } from './hash-target.js';
import { warm } from './warm.js';

/** Requests are in order, each once. Secrets in them are as the configuration writes them. */
export interface Rehearsal {
  requests: OutboundRequest[];
  leases: Lease[];
  /** What the lease will send at its end, beside what was sent before. */
  releases: OutboundRequest[];
}

export interface Rehearsed {
  bridge: Bridge;
  plan: WarmPlan;
  tenant: string;
  config: MeshConfig;
  /** As if there were no environment yet. */
  isEmpty?: boolean;
}

/** Warms up and gives back with the code that does it. The other side says that all is well, and nothing is sent anywhere. */
export async function rehearse({ bridge, plan, tenant, config, isEmpty = false }: Rehearsed): Promise<Rehearsal> {
  const requests: OutboundRequest[] = [];
  const leases: Lease[] = [];
  const { signal } = new AbortController();
  const answerTo = bridge.kind === 'http' ? asBridge(plan, isEmpty) : asKubernetes();
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
    { plan, tenant, targetHash: hashTarget(bridge), firstTriedAt: Date.now(), keepLease },
    { signal, endsAt: Infinity, timeoutMs: plan.timeoutMs },
  );
  const warming = [...requests];
  const [lease] = leases;
  if (lease) await target.release(lease, signal);
  return { requests: warming, leases, releases: requests.slice(warming.length) };
}

type Answer = (request: OutboundRequest) => unknown;

const ENVIRONMENT = 'ITS-DEFAULT-ENVIRONMENT';

/** What a bridge says that has one environment, with everything ready. */
function asBridge({ ensure }: WarmPlan, isEmpty: boolean): Answer {
  const environment = { id: ENVIRONMENT, ready: ensure, default: true, eligible: true };
  return ({ method, url }) => {
    if (url.endsWith('/v1/status')) return { active: true };
    if (url.endsWith('/v1/capacity')) return { environment: ENVIRONMENT };
    if (url.endsWith('/v1/release')) return { released: 1 };
    if (url.endsWith('/v1/environments') && method === 'GET') return { environments: isEmpty ? [] : [environment] };
    return environment;
  };
}

/** What Kubernetes says of an object without replicas, which has at once as many as it is told to. */
function asKubernetes(): Answer {
  let replicas = 0;
  return ({ method, body = '' }) => {
    if (method === 'PATCH') replicas = (JSON.parse(body) as { spec: { replicas: number } }).spec.replicas;
    const status = { replicas, readyReplicas: replicas };
    return { metadata: { resourceVersion: 'AS-IT-WAS-READ' }, spec: { replicas }, status };
  };
}

function answered(body: unknown): OutboundAnswer {
  return { kind: 'answered', status: 200, headers: {}, text: JSON.stringify(body) };
}
