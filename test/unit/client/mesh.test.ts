import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { expect, inject, test } from 'vitest';
import type { MeshEvent } from '#contract/event.js';
import { watchId } from '#contract/ids.js';
import { connectMesh, WrongEventError } from '#client/mesh.js';

test('a wrong event rejects the report, and does not throw out of the call', async () => {
  const connection = { address: inject('temporalAddress'), namespace: 'default', options: {}, isGiven: true };
  const mesh = await connectMesh({ connection });

  const report = mesh.report({ event: 'no such name!' });

  await expect(report).rejects.toThrow(WrongEventError);
  await mesh.close();
});

test.each([
  [
    'belongs to the chain of the agent that uses the SDK',
    false,
    { depth: 2, lineage: { root: 'e-0', token: 'of-the-agent' } },
  ],
  ['of others does not', true, { depth: 0, lineage: undefined }],
])('what is reported %s', async (_what, isForOthers, expected) => {
  const tenant = `t-${randomUUID()}`;
  const connection = { address: inject('temporalAddress'), namespace: 'default', options: {}, isGiven: true };
  const env = { MESH_TENANT: tenant, MESH_DEPTH: '2', MESH_ROOT_EVENT: 'e-0', MESH_LINEAGE: 'of-the-agent' };
  // Nobody works on this queue, so what was signalled stays what it was.
  const mesh = await connectMesh({ connection, env, isForOthers, taskQueue: tenant });

  await mesh.report({ event: 'Broke', ...(isForOthers && { tenant }) });

  const server = await Connection.connect({ address: connection.address });
  const watch = new Client({ connection: server }).workflow.getHandle(watchId(tenant));
  const { events } = await watch.fetchHistory();
  const [signal] = (events ?? []).flatMap((event) => event.workflowExecutionSignaledEventAttributes ?? []);
  const [reported] = JSON.parse(Buffer.from(signal?.input?.payloads?.[0]?.data ?? []).toString()) as MeshEvent[];
  const { depth, lineage } = reported ?? {};
  expect({ depth, lineage }).toEqual(expected);
  await watch.terminate('the test is over');
  await Promise.all([mesh.close(), server.close()]);
});
