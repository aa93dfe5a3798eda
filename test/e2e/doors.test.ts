import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { connectMesh, type Mesh } from '#client/mesh.js';
import type { MeshEvent } from '#contract/event.js';
import { watchId } from '#contract/ids.js';
import { type DevServer, freePort, startDevServer } from '#worker/dev/dev-server.js';
import { eventually } from '../support/eventually.js';
import { type GatewayProcess, postJson, startGatewayProcess } from '../support/gateway-process.js';
import { runMesh } from '../support/run-command.js';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process.js';

// The doors with everything real: hook and gateway are processes, the server comes and goes, the gateway is killed.

const SESSIONS = 6;
const EVENTS_PER_SESSION = 8;

let folder: string;
let temporalPort: number;
let gatewayPort: number;
let server: DevServer | undefined;
let worker: WorkerProcess | undefined;
let gateway: GatewayProcess | undefined;
let mesh: Mesh | undefined;
let connection: Connection | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mesh-doors-'));
  temporalPort = await freePort();
  gatewayPort = await freePort();
});

afterEach(async () => {
  await gateway?.stop();
  await worker?.stop();
  await mesh?.close();
  await connection?.close();
  await server?.stop();
  server = worker = gateway = mesh = connection = undefined;
  await rm(folder, { recursive: true, force: true });
});

test(
  'without a server hooks spool and the gateway says 503; with one, every event arrives once, in order per session',
  { timeout: 180_000 },
  async () => {
    gateway = await startGatewayProcess(gatewayPort, environment());
    const refused = await postJson(`${gateway.url}/v1/events`, { event: 'TaskCompleted', id: 'http-1' });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);

    await Promise.all(Array.from({ length: SESSIONS }, (_, session) => reportSession(`s-${session}`)));
    expect((await readdir(join(folder, 'home', 'spool'))).filter((name) => name.endsWith('.json'))).toHaveLength(
      SESSIONS * EVENTS_PER_SESSION,
    );

    await startEverything();
    const arrived = await eventually(
      'all events in the watch',
      async () => {
        const ids = await idsInWatch();
        return new Set(ids.filter((id) => id !== 'http-1')).size === SESSIONS * EVENTS_PER_SESSION ? ids : undefined;
      },
      60_000,
    );

    for (let session = 0; session < SESSIONS; session++) {
      const ofSession = [...new Set(arrived.filter((id) => id.includes(`:s-${session}:`)))];
      expect(ofSession).toEqual(
        Array.from({ length: EVENTS_PER_SESSION }, (_, index) => hookId(`s-${session}`, index)),
      );
    }
    await eventually('an empty spool', async () => {
      const left = await readdir(join(folder, 'home', 'spool'));
      return left.some((name) => name.endsWith('.json')) ? undefined : true;
    });
    const { counters } = await eventually('all judged', async () => {
      const status = await mesh?.status();
      const judged = (status?.counters.events ?? 0) - (status?.counters.skipped.duplicate ?? 0);
      return judged >= SESSIONS * EVENTS_PER_SESSION ? status : undefined;
    });
    // The very first ones may have been on their way through the gateway when their hook stopped waiting.
    expect(counters.skipped.shadow).toBe(SESSIONS * EVENTS_PER_SESSION);
  },
);

test(
  'a gateway killed under load: nothing it acknowledged is missing, and nothing fires twice',
  { timeout: 180_000 },
  async () => {
    await startEverything('enforce');
    gateway = await startGatewayProcess(gatewayPort, environment());
    const ids = Array.from({ length: 120 }, (_, index) => `load-${index}`);
    const waiting = [...ids];
    const acknowledged: string[] = [];
    let kills = 0;

    const client = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        await eventually(`acknowledgement of ${id}`, async () => {
          const { status } = await postJson(`http://127.0.0.1:${gatewayPort}/v1/events`, anEvent(id ?? ''));
          return status === 202 ? true : undefined;
        });
        acknowledged.push(id);
      }
    };
    const killer = async () => {
      for (const at of [30, 75]) {
        await eventually('some load', () => (acknowledged.length >= at ? true : undefined), 60_000);
        await gateway?.kill();
        kills += 1;
        gateway = await startGatewayProcess(gatewayPort, environment());
      }
    };
    await Promise.all([killer(), ...Array.from({ length: 20 }, client)]);

    expect(kills).toBe(2);
    expect(acknowledged.sort()).toEqual([...ids].sort());
    const status = await eventually('all judged', async () => {
      const now = await mesh?.status();
      const judged = (now?.counters.events ?? 0) - (now?.counters.skipped.duplicate ?? 0);
      return judged >= ids.length ? now : undefined;
    });
    expect(status.counters.fired).toBe(ids.length);
    expect(status.counters.events - (status.counters.skipped.duplicate ?? 0)).toBe(ids.length);
  },
);

test('3,000 copies of one event from 50 connections fire once', { timeout: 120_000 }, async () => {
  await startEverything('enforce');
  gateway = await startGatewayProcess(gatewayPort, environment());
  const { url } = gateway;
  let left = 3_000;
  const answers = new Set<number>();

  const client = async () => {
    while (left > 0) {
      left -= 1;
      // On a machine that is busy the gateway may say "send again with the same ids", which is what clients do then.
      await eventually('an answer of 202', async () => {
        const { status } = await postJson(`${url}/v1/events`, anEvent('the-one'));
        answers.add(status);
        return status === 202 || undefined;
      });
    }
  };
  await Promise.all(Array.from({ length: 50 }, client));
  expect([...answers].filter((status) => status !== 202 && status !== 503)).toEqual([]);

  const status = await eventually('all judged', async () => {
    const now = await mesh?.status();
    return (now?.counters.events ?? 0) >= 3_000 ? now : undefined;
  });
  const { events } = status.counters;
  expect(status.counters).toMatchObject({ fired: 1, skipped: { duplicate: events - 1 } });
  const verdicts = (await mesh?.verdicts('the-one')) ?? [];
  expect(verdicts.filter((entry) => !(entry.verdict === 'skip' && entry.code === 'duplicate'))).toMatchObject([
    { verdict: 'fire', rule: 'r' },
  ]);
  expect((await mesh?.remediations())?.remediations.map(({ eventId }) => eventId)).toEqual(['the-one']);
});

function environment(): Record<string, string> {
  return {
    TEMPORAL_ADDRESS: `127.0.0.1:${temporalPort}`,
    MESH_HOME: join(folder, 'home'),
    MESH_RULES: join(folder, 'rules.json'),
    MESH_CONFIG: join(folder, 'mesh.yaml'),
    MESH_GATEWAY_PORT: String(gatewayPort),
  };
}

/** One agent session: a hook after the other, as a runtime calls them. */
async function reportSession(session: string): Promise<void> {
  for (let index = 0; index < EVENTS_PER_SESSION; index++) {
    const raw = {
      hook_event_name: 'PostToolUseFailure',
      session_id: session,
      tool_name: 'Bash',
      tool_use_id: `toolu-${index}`,
      error: 'connection refused',
    };
    const { code, stdout } = await runMesh(['hook', 'claude-code'], environment(), JSON.stringify(raw));
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  }
}

function hookId(session: string, index: number): string {
  return `cc:${session}:PostToolUseFailure:toolu-${index}`;
}

function anEvent(id: string) {
  return { event: 'TaskCompleted', outcome: 'failed', id };
}

async function startEverything(mode: 'enforce' | 'shadow' = 'shadow'): Promise<void> {
  const actions = [{ type: 'warm_remote_capacity' }];
  const rule = (id: string, event: string) => ({ id, mode, trigger: { event }, actions });
  const rules = [rule('r', 'TaskCompleted'), rule('hooks', 'PostToolUseFailure')];
  await mkdir(join(folder, 'home'), { recursive: true });
  await writeFile(join(folder, 'rules.json'), JSON.stringify({ defaultCooldownMs: 0, defaultDedupWindowMs: 0, rules }));
  await writeFile(join(folder, 'mesh.yaml'), '{}');
  server = await startDevServer({
    binary: inject('temporalBinary'),
    port: temporalPort,
    databaseFile: join(folder, 'temporal.db'),
    namespace: 'default',
  });
  worker = await startWorkerProcess({
    address: server.address,
    folder,
    settings: { rules: join(folder, 'rules.json'), config: join(folder, 'mesh.yaml'), home: join(folder, 'home') },
  });
  connection = await Connection.connect({ address: server.address });
  mesh = await connectMesh({
    connection: { address: server.address, namespace: 'default', options: {}, isGiven: true },
  });
}

/** The ids of all events the watch was sent, in order of arrival, over all its runs. */
async function idsInWatch(): Promise<string[]> {
  if (!connection) return [];
  const client = new Client({ connection });
  const ids: string[] = [];
  const runs: string[] = [];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${watchId('default')}'` }))
    runs.unshift(runId);
  for (const runId of runs) {
    const history = await client.workflow.getHandle(watchId('default'), runId).fetchHistory();
    for (const { workflowExecutionSignaledEventAttributes: signal } of history.events ?? []) {
      const payload = signal?.input?.payloads?.[0];
      if (signal?.signalName !== 'events' || !payload) continue;
      ids.push(...defaultPayloadConverter.fromPayload<MeshEvent[]>(payload).map(({ id }) => id));
    }
  }
  return ids;
}
