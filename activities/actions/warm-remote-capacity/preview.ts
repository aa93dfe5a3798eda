import { missingSecrets } from '#config/missing-secrets.js';
import type { WarmPlan } from '#contract/actions/warm-remote-capacity/schema.js';
import { duration } from '#contract/text/duration.js';
import { leaseId } from '#contract/ids.js';
import type { Lease } from '#contract/lease.js';
import { TASK_QUEUE } from '#contract/names.js';
import type { PreviewPart, PreviewStep } from '#contract/preview.js';
import { formatProblem } from '#contract/text/problem.js';
import type { Outbound, OutboundAnswer, OutboundRequest } from '#adapters/http/create-outbound.js';
import type { Previewer } from '../preview.js';
import { hashTarget, targetOf } from './open-target.js';
import { REASONS, warm } from './warm.js';
import type { MeshConfig } from '#config/mesh-config.js';
import type { Bridge } from '#config/sections/bridge.js';
import type { CapacityTarget } from './target.js';

/** Every request, in order, when the other side has what is asked for; also what gives it back. */
export const previewWarmRemoteCapacity: Previewer<WarmPlan> = async ({ plan, remediation }, { config, env, nowMs }) => {
  const { bridge, policy, folder } = config;
  const skipped = (reason: string) => ({ status: 'skipped' as const, reason, steps: [], warnings: [] });
  if (!policy.allowRemoteSessions) return skipped(REASONS.blockedByPolicy);
  if (!bridge?.enabled) return skipped(REASONS.notActive);

  const { target, sentBy } = rehearseWith(bridge, plan.ensure, config);
  const { signal } = new AbortController();
  const leases: Lease[] = [];
  const request = {
    ...{ plan, tenant: remediation.event.tenant, targetHash: hashTarget(bridge), firstTriedAt: nowMs },
    keepLease: async (lease: Lease) => void leases.push(lease),
  };
  const warming = await sentBy(() => warm(target, request, { signal, endsAt: Infinity, timeoutMs: plan.timeoutMs }));
  const making = plan.createDefaultEnvironmentIfMissing
    ? await sentBy(() => target.createDefault(plan.effectKey, signal))
    : [];
  const steps: PreviewStep[] = [
    ...warming.map((one) => stepOf(one)),
    ...making.map((one) => stepOf(one, 'when there is no environment that may be used')),
  ];
  const [lease] = leases;
  if (lease) {
    const givingBack = await sentBy(() => target.release(lease, signal));
    steps.push(leaseStep(lease, plan), ...givingBack.map((one) => stepOf(one, AT_THE_END[bridge.kind])));
  }
  return {
    status: 'ready',
    steps,
    warnings: (await missingSecrets(bridge, ['bridge'], { folder, env })).map(formatProblem),
  };
};

const AT_THE_END = {
  http: 'at the end of the lease',
  kubernetes: 'at the end of the lease, where there were no replicas before',
};

function stepOf(request: OutboundRequest, when?: string): PreviewStep {
  const { method, url, headers = {}, body } = request;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const parts: PreviewPart[] = [
    { part: 'headers', text: lines.join('\n') },
    ...(body === undefined ? [] : [{ part: 'body', text: JSON.stringify(JSON.parse(body), null, 2) }]),
  ];
  return { what: 'request', destination: `${method} ${url}`, ...(when !== undefined && { when }), parts };
}

function leaseStep({ environment }: Lease, { forMs }: WarmPlan): PreviewStep {
  const destination = `workflow ${leaseId(TASK_QUEUE, environment)}, which gives the capacity back after ${duration(forMs)}`;
  return { what: 'lease', destination, parts: [] };
}

interface Rehearsal {
  target: CapacityTarget;
  /** What a step would send, in order, and nothing that was sent before. Secrets are as the configuration writes them. */
  sentBy(step: () => Promise<unknown>): Promise<OutboundRequest[]>;
}

/** A target of the configuration whose other side says that all is well. Nothing is sent anywhere. */
function rehearseWith(bridge: Bridge, ensure: number, { outbound: policy }: MeshConfig): Rehearsal {
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
