import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STOP_WITHIN_MS } from '#client/gateway/stop-gateway.js';
import { parseMeshConfig } from '#config/mesh-config.js';
import { freePort } from '#worker/dev/dev-server.js';
import { eventually } from '../support/eventually.js';
import { get, postJson, startGatewayProcess } from '../support/gateway-process.js';
import { runMesh, startNode } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

async function environment() {
  const folder = tempFolder();
  const port = await freePort();
  const config = join(folder, 'mesh.yaml');
  writeFileSync(config, '{}');
  const env = {
    TEMPORAL_ADDRESS: '127.0.0.1:9',
    MESH_HOME: join(folder, 'home'),
    MESH_RULES: join(folder, 'rules.yaml'),
    MESH_CONFIG: config,
  };
  return { env, port, config };
}

test('mesh gateway starts without a server, says so, and ends soon when told to', { timeout: 60_000 }, async () => {
  const { env, port } = await environment();
  const gateway = await startGatewayProcess(port, env);

  const said = await eventually('word of the missing server', () => {
    const { stderr } = gateway.output();
    return stderr.includes('requests get 503 until it does') ? stderr : undefined;
  });
  expect(said).toContain(`http://127.0.0.1:${port} (docs at /docs; no tokens: only this machine, tenant default)`);
  // A request that hangs in there does not hold it up.
  const hanging = postJson(`${gateway.url}/v1/events`, { event: 'X' }).catch((error: Error) => error);
  await get(`${gateway.url}/healthz`, { 'x-request-id': 'mine' });
  const { code, tookMs } = await gateway.stop();

  expect(code).toBe(0);
  // It waits for less than five seconds; until a busy machine has ended the process, it may be more.
  expect(STOP_WITHIN_MS).toBeLessThan(5_000);
  expect(tookMs).toBeLessThan(STOP_WITHIN_MS + 5_000);
  const answer = await hanging;
  if (!(answer instanceof Error)) expect(answer.status).toBe(503);
  const log = readFileSync(join(env.MESH_HOME, 'gateway.log'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(log).toContainEqual(expect.objectContaining({ route: '/healthz', status: 200, requestId: 'mine' }));
});

test('mesh gateway refuses to listen beyond this machine without tokens', { timeout: 60_000 }, async () => {
  const { env, port } = await environment();

  const { code, stderr } = await startNode(['worker/mesh.mjs', 'gateway'], {
    ...{ ...env, MESH_GATEWAY_PORT: String(port), MESH_GATEWAY_HOST: '0.0.0.0' },
  }).finished;

  expect(code).toBe(1);
  expect(stderr).toContain('without tokens the gateway serves only this machine');
  expect(stderr).toContain('npx mesh token new');
});

test('what mesh token new prints is good as it is', { timeout: 60_000 }, async () => {
  const { env, port, config } = await environment();
  const { code, stdout } = await runMesh(['token', 'new', '--tenant', 'acme', '--role', 'report', 'read']);
  expect(code).toBe(0);
  const [token = ''] = /mesh_[\w-]{43}/.exec(stdout) ?? [];
  writeFileSync(config, stdout.slice(stdout.indexOf('\ngateway:')));
  expect(readFileSync(config, 'utf8')).not.toContain(token);

  const gateway = await startGatewayProcess(port, env);
  const headers = { authorization: `Bearer ${token}` };

  expect((await get(`${gateway.url}/v1/remediations?limit=0`, headers)).status).toBe(400);
  expect((await get(`${gateway.url}/v1/remediations?limit=0`)).status).toBe(401);
  expect((await postJson(`${gateway.url}/v1/pause`, {}, headers)).status).toBe(403);
  await gateway.stop();
});

test('mesh token new makes another token each time, for scripts too', { timeout: 60_000 }, async () => {
  const runs = [await runMesh(['token', 'new', '--json']), await runMesh(['token', 'new', '--json'])];
  const made = runs.map(({ stdout }) => JSON.parse(stdout) as Record<string, string>);

  expect(made[0]).toMatchObject({ tenant: 'default', name: 'default-report', roles: ['report'] });
  expect(made[0]?.['token']).not.toBe(made[1]?.['token']);
  const { token, sha256, ...entry } = made[0] ?? {};
  const config = { gateway: { tokens: [{ ...entry, sha256: [sha256] }] } };
  expect(token).toMatch(/^mesh_[\w-]{43}$/);
  expect(parseMeshConfig(JSON.stringify(config), 'f')).toMatchObject({ ok: true });
});

test.each([
  [['token'], 'missing required argument'],
  [['token', 'old'], 'Allowed choices are new'],
  [['token', 'new', '--role', 'admin'], 'Allowed choices are report, read, operate'],
  [['token', 'new', '--tenant', 'A B'], '--tenant: expected a tenant name'],
])('mesh %j is refused', { timeout: 60_000 }, async (args, message) => {
  const { code, stderr, stdout } = await runMesh(args);

  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
});
