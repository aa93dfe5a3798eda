import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BridgeServer, startBridgeServer } from '../support/bridge-server.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

let mail: MailServer;
let bridge: BridgeServer;
let mesh: TestMesh;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mesh-chain-'));
  [mail, bridge] = await Promise.all([startMailServer(), startBridgeServer()]);
  mesh = await startTestMesh({
    smtpUrl: mail.url,
    env: { BRIDGE_TOKEN: 'bridge-secret', WORKER_SECRET: 'must not reach the agent' },
    rules: {
      rules: [
        {
          id: 'full-chain',
          trigger: { event: 'TaskCompleted', outcomes: ['failed', 'timeout'] },
          condition: { errorIncludes: ['timeout', 'capacity'] },
          cooldownMs: 60_000,
          actions: [
            {
              type: 'spawn_fallback_agent',
              id: 'agent',
              promptTemplate: 'Mend ${TASK_SUBJECT}: ${ERROR}',
              // Else the mail may say that it is still at work.
              await: 'finished',
            },
            { type: 'warm_remote_capacity', id: 'warm', createDefaultEnvironmentIfMissing: true },
            { type: 'notify_team', id: 'tell', recipients: ['*'], summary: 'Rule ${RULE_ID}: ${OUTCOME}' },
          ],
        },
      ],
    },
    config: {
      agents: {
        default: {
          command: [
            process.execPath,
            '-e',
            `process.stdin.setEncoding('utf8'); let prompt = ''; process.stdin.on('data', (part) => (prompt += part));
             process.stdin.on('end', () => require('fs').writeFileSync(process.env.REPORT, JSON.stringify({ prompt, env: process.env })));`,
          ],
          env: { REPORT: join(folder, 'agent.json') },
        },
      },
      teams: {
        ops: {
          members: [
            { name: 'ada', email: 'ada@example.com' },
            { name: 'bob', email: 'bob@example.com' },
          ],
        },
      },
      notify: { defaultTeam: 'ops', fromAddress: 'mesh@example.com' },
      bridge: { ...bridge.config.bridge, token: '${env:BRIDGE_TOKEN}' },
      outbound: bridge.config.outbound,
    },
  });
});

afterAll(async () => {
  await mesh.stop();
  await Promise.all([mail.close(), bridge.close()]);
  await rm(folder, { recursive: true, force: true });
});

test('one event runs all three actions in order, and each receiver gets its effect key', async () => {
  const [id = ''] = await mesh.report({
    depth: 1,
    session: 's-1',
    source: 'test',
    payload: { task_subject: 'deploy', error: 'Gateway timeout' },
  });

  const result = await mesh.result('full-chain', id);

  expect(result.outcome).toBe('executed');
  expect(result.actions.map(({ action, type, status, attempts }) => [action, type, status, attempts])).toEqual([
    ['agent', 'spawn_fallback_agent', 'executed', 1],
    ['warm', 'warm_remote_capacity', 'executed', 1],
    ['tell', 'notify_team', 'executed', 1],
  ]);
  const remediation = `remediation/${mesh.tenant}/full-chain/${id}`;
  const agent = JSON.parse(await readFile(join(folder, 'agent.json'), 'utf8')) as {
    prompt: string;
    env: Record<string, string>;
  };
  expect(agent.prompt).toBe('Mend deploy: Gateway timeout');
  expect(agent.env).toMatchObject({
    MESH_EVENT_ID: id,
    MESH_EVENT: 'TaskCompleted',
    MESH_OUTCOME: 'failed',
    MESH_RULE: 'full-chain',
    MESH_SESSION: 's-1',
    MESH_DEPTH: '2',
    MESH_ROOT_EVENT: id,
    MESH_REMEDIATION: remediation,
    MESH_EFFECT_KEY: `${remediation}/agent`,
    MESH_ATTEMPT: '1',
  });
  expect(agent.env).not.toHaveProperty('WORKER_SECRET');

  expect(bridge.requests).toHaveLength(1);
  expect(bridge.requests[0]?.headers).toMatchObject({
    'idempotency-key': `${remediation}/warm`,
    authorization: 'Bearer bridge-secret',
  });
  expect(bridge.requests[0]?.body).toMatchObject({ environment: 'env-1', ensure: 1 });
  expect(result.actions[1]?.detail).toBe('Remote capacity warmed for environment env-1');

  expect(mail.mails.flatMap(({ to }) => to).sort()).toEqual(['ada@example.com', 'bob@example.com']);
  for (const { source, from } of mail.mails) {
    expect(from).toBe('mesh@example.com');
    expect(source).toContain('Subject: Rule full-chain: failed');
    expect(source).toContain('agent (spawn_fallback_agent): executed');
  }
});

test('the run explains itself in the Temporal UI', async () => {
  const [id = ''] = await mesh.report({ event: 'TaskCompleted', outcome: 'success' });
  await mesh.judged(id);
  const fired = (await mesh.mesh.verdicts(undefined, mesh.tenant)).find(({ verdict }) => verdict === 'fire');

  const description = await mesh.client.workflow.getHandle(fired?.remediation ?? '').describe();

  const attributes = Object.fromEntries(
    description.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value] as const),
  );
  expect(attributes).toMatchObject({
    MeshTenant: mesh.tenant,
    MeshRule: 'full-chain',
    MeshEvent: 'TaskCompleted',
    MeshSession: 's-1',
    MeshSource: 'test',
    MeshDepth: 1,
    MeshOutcome: 'executed',
  });
  expect(await description.staticSummary()).toContain('full-chain: TaskCompleted failed →');
  expect(await description.staticDetails()).toContain('Gateway timeout');
});
