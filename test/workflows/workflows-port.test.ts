import { randomBytes } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { createWorkflows } from '../../activities/adapters/workflows/create-workflows.js';
import type { Workflows } from '../../activities/world.js';
import { connectMesh } from '../../client/mesh.js';
import { digestId, leaseId, remediationId, watchId } from '../../contract/ids.js';
import type { Lease } from '../../contract/lease.js';
import type { DigestNotice } from '../../contract/notice.js';
import { eventually } from '../support/eventually.js';

// What activities ask of other workflows, against a real server. No worker runs: only what is started and sent is looked at.

let connection: Connection;
let client: Client;
let workflows: Workflows;
let tenant: string;
let touched: string[];

beforeAll(async () => {
  connection = await Connection.connect({ address: inject('temporalAddress') });
  client = new Client({ connection });
  workflows = createWorkflows(client, 'nobody-polls');
});
beforeEach(() => {
  tenant = `t-${randomBytes(6).toString('hex')}`;
  touched = [];
});
afterEach(() =>
  Promise.all(
    touched.map((id) =>
      client.workflow
        .getHandle(id)
        .terminate('the test is over')
        .catch(() => undefined),
    ),
  ),
);
afterAll(() => connection.close());

function workflow(id: string): WorkflowHandle {
  touched.push(id);
  return client.workflow.getHandle(id);
}

async function signalsOf(handle: WorkflowHandle): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName ?? []);
}

test('a watch that is told of agents is started just as one that is told of an event', async () => {
  const agent = { ids: ['s'], depth: 1, root: 'e', path: ['r'], action: 'a', isAwaited: false, untilAt: 1 };
  const mesh = await connectMesh({
    connection: { address: inject('temporalAddress'), namespace: 'default', options: {}, isGiven: true },
    taskQueue: 'nobody-polls',
  });
  const other = `${tenant}-other`;
  await mesh.report({ event: 'Stop', tenant: other });
  await mesh.close();

  await workflows.tellWatchOfAgents(tenant, [{ ...agent, remediation: remediationId(tenant, 'r', 'e') }]);

  const told = workflow(watchId(tenant));
  const facts = async (handle: WorkflowHandle, of: string) => {
    const described = await handle.describe();
    const { type, taskQueue, searchAttributes } = described;
    return JSON.stringify([type, taskQueue, await described.staticSummary(), searchAttributes]).replaceAll(of, '');
  };
  expect(await facts(told, tenant)).toBe((await facts(workflow(watchId(other)), other)).replaceAll(other, ''));
  expect(await signalsOf(told)).toEqual(['agents']);
});

test('a lease is started once, and extended after that', async () => {
  const lease: Lease = { tenant, environment: 'eu/west 1', ensure: 2, untilAt: 5, effectKey: 'k' };

  await workflows.keepLease(lease);
  await workflows.keepLease({ ...lease, untilAt: 9 });

  const handle = workflow(leaseId(tenant, 'eu/west 1'));
  expect(handle.workflowId).toBe(`lease/${tenant}/eu%2Fwest%201`);
  expect(await signalsOf(handle)).toEqual(['extend', 'extend']);
});

test('a message that was started before is not started again', async () => {
  const notice = digest(1);

  await workflows.startNotice(notice);
  await workflows.startNotice(notice);

  expect((await workflow(notice.id).describe()).type).toBe('notice');
});

test('a message that the server refuses for good is no reason to try for ever', async () => {
  const refused = { ...digest(2), id: 'x'.repeat(1_001) };

  await expect(workflows.startNotice(refused)).rejects.toMatchObject({ nonRetryable: true });
});

test('a remediation that is not there any more is told nothing, and that is no error', async () => {
  const id = remediationId(tenant, 'r', 'e');
  const news = { action: 'a', state: 'finished', agentId: 's', outcome: 'success' } as const;

  await workflows.tellRemediation(id, news);
  await client.workflow.start('remediate', { workflowId: id, taskQueue: 'nobody-polls' });
  await workflows.tellRemediation(id, news);
  await workflow(id).terminate();
  await eventually('its end', async () =>
    (await workflow(id).describe()).status.name === 'TERMINATED' ? true : undefined,
  );
  await workflows.tellRemediation(id, news);

  expect(await signalsOf(workflow(id))).toEqual(['agent']);
});

function digest(untilAt: number): DigestNotice {
  const suppressed = { events: 1, firstAt: 0, lastAt: 0, sessions: [], moreSessions: 0 };
  return { kind: 'digest', id: digestId(tenant, 'r', 'ck', untilAt), tenant, rule: 'r', at: untilAt, suppressed };
}
