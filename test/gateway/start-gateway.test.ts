import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeToken } from '#client/gateway/access.js';
import { readSettings } from '#contract/settings.js';
import { freePort } from '#worker/dev/dev-server.js';
import { makeSources } from '#worker/make-sources.js';
import { openDoor } from '#worker/open-door.js';
import { type RunningGateway, startGateway } from '#worker/start-gateway.js';
import { eventually } from '../support/eventually.js';
import { get, postJson } from '../support/gateway-process.js';
import { tempFolder } from '../support/temp-folder.js';

// How the gateway is put together from settings and files. There is no Temporal server: what matters here comes before it.

const NOWHERE = { address: '127.0.0.1:9', namespace: 'default', options: {}, isGiven: true };

let running: RunningGateway | undefined;

afterEach(async () => {
  await running?.stop();
  running = undefined;
});

interface Given {
  config?: unknown;
  env?: Record<string, string>;
}

async function prepare({ config, env = {} }: Given) {
  const folder = tempFolder();
  const configFile = join(folder, 'mesh.yaml');
  const write = (content: unknown) =>
    writeFileSync(configFile, typeof content === 'string' ? content : JSON.stringify(content));
  if (config !== undefined) write(config);
  const port = await freePort();
  const { settings, problems } = readSettings({
    ...{ MESH_GATEWAY_PORT: String(port), MESH_HOME: join(folder, 'home'), MESH_RULES: join(folder, 'rules.yaml') },
    MESH_CONFIG: configFile,
    ...env,
  });
  expect(problems).toEqual([]);
  const said: string[] = [];
  const note = (_meta: object, message: string) => void said.push(message);
  const log = { info: note, warn: note, error: note };
  return {
    ...{ folder, write, said, port, url: `http://127.0.0.1:${port}` },
    options: {
      settings: { ...settings, gatewayPort: port },
      env,
      connection: NOWHERE,
      sources: makeSources(settings, log),
      log,
    },
  };
}

async function start(given: Given) {
  const prepared = await prepare(given);
  running = await startGateway(prepared.options);
  return { ...prepared, admits: running.admits };
}

const aToken = (roles = ['report', 'read', 'operate']) => {
  const { token, sha256 } = makeToken();
  return { token, sha256, entry: { name: sha256.slice(0, 8), sha256: [sha256], tenant: 'acme', roles } };
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
/** Refused before Temporal is asked: a filter that is none. */
const PROBE = '/v1/remediations?limit=0';
const code = (body: string) => (JSON.parse(body) as { code: string }).code;

test('without tokens it serves this machine, and says so', async () => {
  const { url, admits } = await start({ config: {} });

  expect(admits).toBe('no tokens: only this machine, tenant default');
  expect((await get(`${url}${PROBE}`)).status).toBe(400);
});

test.each(['0.0.0.0', '::'])('without tokens it refuses to listen on %s', async (host) => {
  const { options } = await prepare({ config: {}, env: { MESH_GATEWAY_HOST: host } });

  await expect(startGateway(options)).rejects.toThrow(
    new RegExp(`MESH_GATEWAY_HOST is ${host}, but without tokens the gateway serves only this machine`),
  );
});

test('with tokens it listens anywhere, and serves whoever shows one', async () => {
  const { token, entry } = aToken();
  const { url, admits } = await start({
    config: { gateway: { tokens: [entry] } },
    env: { MESH_GATEWAY_HOST: '0.0.0.0' },
  });

  expect(admits).toBe('tenants by token: acme');
  expect((await get(`${url}${PROBE}`)).status).toBe(401);
  expect((await get(`${url}${PROBE}`, bearer(token))).status).toBe(400);
});

test(
  'an edit of mesh.yaml replaces tokens without a restart; a broken one changes nothing',
  { timeout: 30_000 },
  async () => {
    const [old, next] = [aToken(), aToken()];
    const { url, write, said } = await start({
      config: { gateway: { tokens: [old.entry] } },
      env: { MESH_GATEWAY_HOST: '0.0.0.0' },
    });
    const status = async ({ token }: { token: string }) => (await get(`${url}${PROBE}`, bearer(token))).status;
    const until = (what: string, isSo: () => Promise<boolean>) =>
      eventually(what, async () => ((await isSo()) ? true : undefined));
    expect([await status(old), await status(next)]).toEqual([400, 401]);

    write({ gateway: { tokens: [{ ...old.entry, sha256: [old.sha256, next.sha256] }] } });
    await until('the new token', async () => (await status(next)) === 400);
    expect(await status(old)).toBe(400);

    write('gateway: {tokens: [');
    await until('the news of the broken edit', async () => {
      await status(next);
      return said.some((line) => line.includes('the last good version stays in use'));
    });
    expect([await status(old), await status(next)]).toEqual([400, 400]);

    write({ gateway: { tokens: [next.entry] } });
    await until('the end of the old token', async () => (await status(old)) === 401);
    expect(await status(next)).toBe(400);

    write({});
    await until('a closed door', async () => (await status(next)) === 503);
    expect(code((await get(`${url}${PROBE}`, bearer(next.token))).body)).toBe('config-unavailable');
    expect((await get(`${url}/healthz`)).status).toBe(200);
  },
);

test('a file that is named and is not there lets nobody in; where none is named, none is needed', async () => {
  const named = await start({ env: { MESH_CONFIG: join(tempFolder(), 'none.yaml') } });
  expect(code((await get(`${named.url}${PROBE}`)).body)).toBe('config-unavailable');
  expect((await get(`${named.url}/healthz`)).status).toBe(200);
  await running?.stop();

  const { url } = await start({});
  expect((await get(`${url}${PROBE}`)).status).toBe(400);
});

test('a file that was never good lets nobody in until it is mended', { timeout: 30_000 }, async () => {
  const { url, write } = await start({ config: 'gateway: {tokens: 7}' });
  expect(code((await get(`${url}${PROBE}`)).body)).toBe('config-unavailable');

  write({});

  await eventually('an open door', async () => ((await get(`${url}${PROBE}`)).status === 400 ? true : undefined));
});

test('a port that is taken is explained', async () => {
  const { options, port } = await prepare({ config: {} });
  const squatter = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));

  await expect(startGateway(options)).rejects.toThrow(
    `Port ${port} for the gateway is taken by another program. ` +
      'Set MESH_GATEWAY_PORT to a free port, or to `off` to run without a gateway.',
  );
  await expect(openDoor(options)).rejects.toThrow(`Port ${port} for the gateway is taken by another program.`);
  await new Promise((resolve) => squatter.close(resolve));
});

test('a worker shares the gateway that runs on this machine already', async () => {
  const { options, url } = await start({ config: {} });

  const door = await openDoor(options);

  expect(door.description).toBe(`${url} (was running here already)`);
  await door.close();
  expect((await get(`${url}/healthz`)).status).toBe(200);
});

test('a worker may have no gateway', async () => {
  const { options, url } = await prepare({ config: {} });

  const door = await openDoor({ ...options, settings: { ...options.settings, gatewayPort: undefined } });

  expect(door.description).toBe('off (MESH_GATEWAY_PORT)');
  await expect(get(`${url}/healthz`)).rejects.toThrow('ECONNREFUSED');
  await door.close();
});

test('what mesh.yaml calls secret is taken out of what is refused too', async () => {
  const { url } = await start({ config: { redact: { patterns: ['INT-[0-9]{4}'] } } });

  const { body } = await postJson(`${url}/v1/events`, { event: 'INT-1234 failed' });

  expect(JSON.parse(body)).toMatchObject({ code: 'invalid-event' });
  expect(body).not.toContain('INT-1234');
});

test('without a server it answers 503 soon, and says when to try again', { timeout: 30_000 }, async () => {
  const { url, folder } = await start({ config: {} });
  mkdirSync(join(folder, 'home'), { recursive: true });
  const begun = performance.now();

  const [stored, ready] = await Promise.all([
    postJson(`${url}/v1/events`, { event: 'X', id: 'e-1' }),
    get(`${url}/readyz`),
  ]);

  expect(stored.status).toBe(503);
  expect(stored.headers['retry-after']).toBe('5');
  expect(JSON.parse(stored.body)).toMatchObject({ code: 'unavailable', stored: [], notStored: ['e-1'] });
  expect(performance.now() - begun).toBeLessThan(12_000);
  expect(ready.status).toBe(503);
});
