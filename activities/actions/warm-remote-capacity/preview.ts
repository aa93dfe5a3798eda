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
import { rehearseWith } from './rehearse.js';
import { hashTarget } from './open-target.js';
import { REASONS, warm } from './warm.js';

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
