import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { parseRemediationId } from '#contract/ids.js';
import type { SearchAttributeName } from '#contract/names.js';
import type { RemediationSummary } from '#contract/views/remediation.js';

/** What the server keeps in clear about one run of a workflow. */
export type RunInfo = Awaited<ReturnType<Client['workflowService']['listWorkflowExecutions']>>['executions'][number];

/** The same as lists show it. */
export function summaryFrom(info: RunInfo | null | undefined): RemediationSummary {
  const id = info?.execution?.workflowId ?? '';
  const { tenant = '', rule = '', eventId = '' } = parseRemediationId(id) ?? {};
  const found = {
    event: attribute<string>(info, 'MeshEvent'),
    tool: attribute<string>(info, 'MeshTool'),
    session: attribute<string>(info, 'MeshSession'),
    source: attribute<string>(info, 'MeshSource'),
    depth: attribute<number>(info, 'MeshDepth'),
    closedAt: info?.closeTime ? millisecondsOf(info.closeTime) : undefined,
  };
  return {
    id,
    runId: info?.execution?.runId ?? '',
    tenant,
    rule,
    eventId,
    outcome: outcomeOf(info),
    startedAt: millisecondsOf(info?.startTime),
    ...Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)),
  };
}

/** Never encoded, since the server reads them. */
function attribute<T>(info: RunInfo | null | undefined, name: SearchAttributeName): T | undefined {
  const payload = info?.searchAttributes?.indexedFields?.[name];
  return payload ? defaultPayloadConverter.fromPayload<T>(payload) : undefined;
}

const TERMINATED = 5;
const TIMED_OUT = 7;

function outcomeOf(info: RunInfo | null | undefined): RemediationSummary['outcome'] {
  const status = Number(info?.status);
  if (status === TERMINATED) return 'terminated';
  if (status === TIMED_OUT) return 'timed-out';
  return attribute(info, 'MeshOutcome') ?? 'running';
}

/** An instant as the server writes it, in epoch milliseconds. */
export function millisecondsOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1_000 + Math.floor((time?.nanos ?? 0) / 1_000_000);
}
