import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connectMesh, type Mesh } from '#client/mesh.js';
import { type DevServer, freePort, startDevServer } from '#worker/dev/dev-server.js';
import { eventually } from '../support/eventually.js';
import { type GatewayProcess, get, postJson, startGatewayProcess } from '../support/gateway-process.js';
import { PLANTED_SECRETS } from '../support/planted-secrets.js';
import { runMesh } from '../support/run-command.js';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process.js';

// Every planted secret goes through every door. Then everything that was written anywhere is searched for each of them.

let folder: string;
let server: DevServer;
let gateway: GatewayProcess;
let worker: WorkerProcess;
let mesh: Mesh;
let connection: Connection;
let environment: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mesh-redaction-'));
  const [temporalPort, gatewayPort] = [await freePort(), await freePort()];
  const rule = {
    id: 'r',
    trigger: { event: 'PostToolUseFailure' },
    actions: [{ type: 'spawn_fallback_agent' }, { type: 'notify_team' }],
  };
  await mkdir(join(folder, 'home'));
  await writeFile(
    join(folder, 'rules.json'),
    JSON.stringify({ defaultCooldownMs: 0, defaultDedupWindowMs: 0, rules: [rule] }),
  );
  await writeFile(
    join(folder, 'mesh.yaml'),
    JSON.stringify({
      // Says again what it is asked.
      agents: { default: { command: ['cat'], maxConcurrent: 50 } },
      teams: { ops: { members: [{ name: 'ann', email: 'ann@example.com' }] } },
      notify: { defaultTeam: 'ops' },
    }),
  );
  server = await startDevServer({
    binary: inject('temporalBinary'),
    port: temporalPort,
    databaseFile: join(folder, 'temporal.db'),
    namespace: 'default',
  });
  environment = {
    TEMPORAL_ADDRESS: server.address,
    MESH_HOME: join(folder, 'home'),
    MESH_RULES: join(folder, 'rules.json'),
    MESH_CONFIG: join(folder, 'mesh.yaml'),
    MESH_GATEWAY_PORT: String(gatewayPort),
  };
  [gateway, worker] = await Promise.all([
    startGatewayProcess(gatewayPort, environment),
    startWorkerProcess({
      address: server.address,
      folder,
      settings: { rules: join(folder, 'rules.json'), config: join(folder, 'mesh.yaml'), home: join(folder, 'home') },
    }),
  ]);
  connection = await Connection.connect({ address: server.address });
  mesh = await connectMesh({
    connection: { address: server.address, namespace: 'default', options: {}, isGiven: true },
  });
}, 60_000);

afterAll(async () => {
  await gateway.stop();
  await worker.stop();
  await mesh.close();
  await connection.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}, 30_000);

test('no planted secret is found in any history, log, mail, spool or metric', { timeout: 180_000 }, async () => {
  expect(PLANTED_SECRETS.length).toBeGreaterThanOrEqual(30);
  // What is no secret must be found, or the search itself is blind.
  const planted = [...PLANTED_SECRETS, { name: 'canary', secret: CANARY, payload: { error: `it sang: ${CANARY}` } }];
  const ids: string[] = [];
  const event = (door: string, index: number, payload: Record<string, unknown>) => {
    const id = `${door}-${index}`;
    ids.push(id);
    return { id, event: 'PostToolUseFailure', outcome: 'failed' as const, payload };
  };

  await mesh.report(planted.map(({ payload }, index) => event('sdk', index, payload)));
  const batch = planted.map(({ payload }, index) => event('http', index, payload));
  expect((await postJson(`${gateway.url}/v1/events`, batch)).status).toBe(202);
  // The secret itself where nobody looks for one: refused, and the refusal must not spread it.
  for (const { secret } of PLANTED_SECRETS) {
    await postJson(`${gateway.url}/v1/events?token=${encodeURIComponent(secret)}`, { event: 'Stop', depth: secret });
    await get(`${gateway.url}/v1/events/${encodeURIComponent(secret)}`, {
      authorization: `Bearer ${encodeURI(secret)}`,
    });
  }
  for (const [index, { payload }] of planted.entries()) {
    const raw = { ...payload, hook_event_name: 'PostToolUseFailure', session_id: 's', tool_use_id: `toolu-${index}` };
    const url = `${gateway.url}/v1/hooks/claude-code`;
    expect((await postJson(url, { ...raw, session_id: 's-http' })).status).toBe(200);
    ids.push(`cc:s-http:PostToolUseFailure:toolu-${index}`);
  }
  // The last ones find nobody to report to and stay in the spool.
  const nobody = { ...environment, MESH_GATEWAY_PORT: 'off', TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` };
  for (const [index, { payload }] of planted.slice(-10).entries()) {
    const raw = { ...payload, hook_event_name: 'PostToolUseFailure', session_id: 's', tool_use_id: `toolu-${index}` };
    const home = join(folder, 'other-home');
    await runMesh(['hook', 'claude-code', '--verbose'], { ...nobody, MESH_HOME: home }, JSON.stringify(raw));
  }
  expect((await readdir(join(folder, 'other-home', 'spool'))).filter((name) => name.endsWith('.json'))).toHaveLength(
    10,
  );

  const client = new Client({ connection });
  await eventually(
    'end of all remediations',
    async () => {
      const running = await client.workflow.count(`WorkflowType = 'remediate' AND ExecutionStatus = 'Running'`);
      const all = await client.workflow.count(`WorkflowType = 'remediate'`);
      return running.count === 0 && all.count === ids.length ? true : undefined;
    },
    120_000,
  );

  const written = [
    ...(await everyHistory(client)),
    ...(await everyFile(join(folder, 'home'))),
    ...(await everyFile(join(folder, 'other-home'))),
    { place: 'metrics', text: (await get(`${gateway.url}/metrics`)).body },
    { place: 'output of the gateway', text: gateway.output().stdout + gateway.output().stderr },
  ];
  expect(written.filter(({ place }) => place.startsWith('history of remediation/'))).toHaveLength(ids.length);
  expect(written.some(({ place }) => place.endsWith('.eml'))).toBe(true);
  expect(written.some(({ text }) => text.includes('[redacted]'))).toBe(true);
  const placesOf = (secret: string) => written.filter(({ text }) => text.includes(secret)).map(({ place }) => place);
  const sang = placesOf(CANARY).join('\n');
  for (const place of [
    'history of watch/default',
    'history of remediation/default/r/sdk-',
    '.eml',
    '/other-home/spool/',
    '/record.db',
  ])
    expect(sang).toContain(place);
  expect(PLANTED_SECRETS.flatMap(({ name, secret }) => placesOf(secret).map((place) => `${name} in ${place}`))).toEqual(
    [],
  );
});

const CANARY = 'canary-7f3a';

interface Written {
  place: string;
  text: string;
}

/** Histories with every payload decoded, and what the UI shows beside them. */
async function everyHistory(client: Client): Promise<Written[]> {
  const written: Written[] = [];
  for await (const { workflowId, runId } of client.workflow.list()) {
    const handle = client.workflow.getHandle(workflowId, runId);
    const [history, description] = await Promise.all([handle.fetchHistory(), handle.describe()]);
    const decoded = historyToJSON(history).replace(/"data":\s*"([A-Za-z0-9+/=]+)"/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString('utf8'),
    );
    const shown = [await description.staticSummary(), await description.staticDetails()].join('\n');
    const attributes = JSON.stringify(description.typedSearchAttributes);
    written.push({ place: `history of ${workflowId}`, text: unescaped(`${decoded}\n${shown}\n${attributes}`) });
  }
  return written;
}

async function everyFile(root: string): Promise<Written[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => {
        const text = await readFile(join(parentPath, name), 'utf8');
        return { place: join(parentPath, name).slice(folder.length), text: unescaped(fromQuotedPrintable(text)) };
      }),
  );
}

/** A secret may stand in JSON within JSON: look at the text itself too. */
function unescaped(text: string): string {
  const once = text.replaceAll('\\"', '"').replaceAll('\\/', '/').replaceAll('\\\\', '\\');
  return `${text}\n${once}`;
}

/** Mails are folded and encoded. */
function fromQuotedPrintable(text: string): string {
  const unfolded = text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return `${text}\n${unfolded}`;
}
