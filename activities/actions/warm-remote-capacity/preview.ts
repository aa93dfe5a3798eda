import { missingSecrets } from '#config/missing-secrets.js';
import type { WarmPlan } from '#contract/actions/warm-remote-capacity/schema.js';
import { duration } from '#contract/text/duration.js';
import { leaseId } from '#contract/ids.js';
import type { Lease } from '#contract/lease.js';
import { TASK_QUEUE } from '#contract/names.js';
import type { PreviewPart, PreviewStep } from '#contract/preview.js';
import { formatProblem } from '#contract/text/problem.js';
import type { OutboundRequest } from '#adapters/http/create-outbound.js';
import type { Previewer } from '../preview.js';
import { REASONS } from './reasons.js';
import { rehearse } from './rehearse.js';

/** Every request, in order, when the other side has what is asked for; also what gives it back. */
export const previewWarmRemoteCapacity: Previewer<WarmPlan> = async ({ plan, remediation }, { config, env }) => {
  const { bridge, policy, folder } = config;
  const skipped = (reason: string) => ({ status: 'skipped' as const, reason, steps: [], warnings: [] });
  if (!policy.allowRemoteSessions) return skipped(REASONS.blockedByPolicy);
  if (!bridge?.enabled) return skipped(REASONS.notActive);

  const rehearsed = { bridge, plan, tenant: remediation.event.tenant, config };
  const { requests, leases, releases } = await rehearse(rehearsed);
  const makesOne = plan.createDefaultEnvironmentIfMissing === true && bridge.kind === 'http';
  const ofNone = makesOne ? (await rehearse({ ...rehearsed, isEmpty: true })).requests : [];
  const making = ofNone.filter((one) => !requests.some((other) => keyOf(other) === keyOf(one)));
  return {
    status: 'ready',
    steps: [
      ...requests.map((request) => stepOf(request)),
      ...making.map((request) => stepOf(request, 'when there is no environment that may be used')),
      ...leases.slice(0, 1).map((lease) => leaseStep(lease, plan)),
      ...releases.map((request) => stepOf(request, AT_THE_END[bridge.kind])),
    ],
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

function keyOf({ method, url }: OutboundRequest): string {
  return `${method} ${url}`;
}
