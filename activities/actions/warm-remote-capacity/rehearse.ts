import type { MeshConfig } from '#config/mesh-config.js';
import type { Bridge } from '#config/sections/bridge.js';
import type { Outbound, OutboundAnswer, OutboundRequest } from '#adapters/http/create-outbound.js';
import { targetOf } from './open-target.js';
import type { CapacityTarget } from './target.js';

export interface Rehearsal {
  target: CapacityTarget;
  /** What a step would send, in order, and nothing that was sent before. Secrets are as the configuration writes them. */
  sentBy(step: () => Promise<unknown>): Promise<OutboundRequest[]>;
}

/** A target of the configuration whose other side says that all is well. Nothing is sent anywhere. */
export function rehearseWith(bridge: Bridge, ensure: number, { outbound: policy }: MeshConfig): Rehearsal {
  const sent: OutboundRequest[] = [];
  const answerTo = bridge.kind === 'http' ? asBridge(ensure) : asKubernetes();
  const outbound: Outbound = {
    async send({ signal: _signal, ...request }) {
      if (!sent.some((one) => JSON.stringify(one) === JSON.stringify(request))) sent.push(request);
      return answered(answerTo(request));
    },
    close: () => Promise.resolve(),
  };
  return {
    target: targetOf(bridge, { outbound, policy, token: bridge.token, ca: bridge.ca }),
    async sentBy(step) {
      const before = sent.length;
      await step();
      return sent.slice(before);
    },
  };
}

type Answer = (request: OutboundRequest) => unknown;

const ENVIRONMENT = 'ITS-DEFAULT-ENVIRONMENT';

/** What a bridge says that has one environment, with everything ready. */
function asBridge(ensure: number): Answer {
  const environment = { id: ENVIRONMENT, ready: ensure, default: true, eligible: true };
  return ({ method, url }) => {
    if (url.endsWith('/v1/status')) return { active: true };
    if (url.endsWith('/v1/capacity')) return { environment: ENVIRONMENT };
    if (url.endsWith('/v1/release')) return { released: 1 };
    if (url.endsWith('/v1/environments') && method === 'GET') return { environments: [environment] };
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
