import { randomBytes, randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { createWorkflows } from '#adapters/temporal/create-workflows.js';
import type { Workflows } from '#adapters/temporal/workflows.js';
import { connectMesh } from '#client/mesh.js';
import { digestId, leaseId, remediationId, slotsId, watchId } from '#contract/ids.js';
import type { Lease } from '#contract/lease.js';
import type { DigestNotice } from '#contract/notice.js';
import type { OpenAlert } from '#contract/notification.js';
import type { AgentNews } from '#contract/remediation.js';
import { aRemediation } from '../support/a-remediation.js';
import { eventually } from '../support/eventually.js';
import { startStallingProxy } from '../support/stalling-proxy.js';

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

test('of a tenant whose watch is gone no alert is open', async () => {
  expect(await workflows.isAlertOpen(tenant, { team: 'ops', channel: 'pager', key: 'k' })).toBe(false);
});

test('of a remediation that is gone nobody knows whom it told', async () => {
  expect(await workflows.toldBy(remediationId(tenant, 'r', 'e'))).toBeUndefined();
});

test('a lease is started once, and extended after that, by every tenant: the environment is that of the mesh', async () => {
  const environment = `eu/west ${tenant}`;
  const lease: Lease = { tenant, environment, ensure: 2, untilAt: 5, effectKey: 'k', targetHash: 'h' };

  await workflows.keepLease(lease);
  await workflows.keepLease({ ...lease, tenant: `${tenant}-other`, untilAt: 9 });

  const handle = workflow(leaseId('nobody-polls', environment));
  expect(handle.workflowId).toBe(`lease/nobody-polls/eu%2Fwest%20${tenant}`);
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
  const news: AgentNews = { action: 'a', state: 'finished', agentId: 's', ids: ['s'], outcome: 'success' };

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

test('a server that takes a question and never answers holds nobody up for long', async () => {
  const server = await startStallingProxy(inject('temporalAddress'));
  const stalled = await NativeConnection.connect({ address: server.address });
  onTestFinished(async () => {
    server.goOn();
    await stalled.close();
    await server.close();
  });
  const asked = createWorkflows(new Client({ connection: stalled }), 'nobody-polls', 500);
  const id = remediationId(tenant, 'r', 'e');
  const lease: Lease = { tenant, environment: tenant, ensure: 1, untilAt: 5, effectKey: 'k', targetHash: 'h' };
  const alert = { team: 'ops', channel: 'pager', key: 'k' };
  const from = { tenant, rule: 'r', remediation: id, root: 'e', occurredAt: 1 };
  const open: OpenAlert = { ...from, ...alert, resolveOn: 'task', task: 't', openedAt: 1 };
  const plan = aRemediation([{ type: 'notify_team' }], { tenant });
  for (const started of [
    watchId(tenant),
    digest(3).id,
    leaseId('nobody-polls', tenant),
    plan.id,
    slotsId('nobody-polls', tenant),
  ])
    touched.push(started);
  server.stall();

  const questions: Record<keyof Workflows, Promise<unknown>> = {
    startRemediation: asked.startRemediation(plan),
    isStarted: asked.isStarted(plan.id),
    startNotice: asked.startNotice(digest(3)),
    keepLease: asked.keepLease(lease),
    tellWatchOfAgents: asked.tellWatchOfAgents(tenant, []),
    tellWatchOfAlert: asked.tellWatchOfAlert(tenant, open),
    isAlertOpen: asked.isAlertOpen(tenant, alert),
    tellRemediation: asked.tellRemediation(id, {
      action: 'a',
      state: 'finished',
      agentId: 's',
      ids: ['s'],
      outcome: 'success',
    }),
    toldBy: asked.toldBy(id),
    askForSlot: asked.askForSlot(tenant, { key: 'k', holder: id, run: 'r', max: 1 }),
    closedAt: asked.closedAt(id, randomUUID()),
    isCancelRequested: asked.isCancelRequested(id, randomUUID()),
  };

  const said = await Promise.all(
    Object.entries(questions).map(([question, answer]) =>
      answer.then(
        () => `${question} was answered`,
        (error: Error) => error.message,
      ),
    ),
  );

  expect(new Set(said)).toEqual(new Set(['the Temporal server did not answer within 500 ms']));
});

function digest(untilAt: number): DigestNotice {
  const suppressed = { events: 1, firstAt: 0, lastAt: 0, sessions: [], moreSessions: 0 };
  return { kind: 'digest', id: digestId(tenant, 'r', 'ck', untilAt), tenant, rule: 'r', at: untilAt, suppressed };
}
