import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { Client, Connection } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { hostAndPort } from '#client/cli/hook/temporal.js';
import { hashToken, readName, type SpoolEntry, writeEntry } from '#client/spool/entries.js';
import { listRefused } from '#client/spool/refused.js';
import type { MeshEvent } from '#contract/event.js';
import { watchId } from '#contract/ids.js';
import { freePort } from '#worker/dev/dev-server.js';
import { eventually } from '../../../support/eventually.js';
import { type Answer, startGatewayStub } from '../../../support/gateway-stub.js';
import { hookFixture } from '../../../support/hook-fixtures.js';
import { ROOT } from '../../../support/paths.js';
import { endInput, runMesh, startNode } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';

const SILENT = { code: 0, stdout: '', stderr: '' };
const NO_TEMPORAL = { MESH_TEMPORAL_PORT: '1' };
const FAILURE = hookFixture('bash-failed');
const FAILURE_ID = `cc:${String(FAILURE['session_id'])}:PostToolUseFailure:${String(FAILURE['tool_use_id'])}`;

describe('with a gateway that takes events', () => {
  test('posts the event, and leaves nothing behind', async () => {
    const { url, posts } = await startGatewayStub();
    const home = join(tempFolder(), 'home');
    const before = Date.now();

    expect(await hook(FAILURE, { home, args: ['--gateway', url] })).toEqual(SILENT);

    expect(posts).toHaveLength(1);
    expect(posts[0]).toMatchObject({ path: '/v1/events', headers: { 'content-type': 'application/json' } });
    expect(posts[0]?.headers.authorization).toBeUndefined();
    expect(posts[0]?.body).toEqual({
      dialect: 'claude-code',
      event: 'PostToolUseFailure',
      outcome: 'failed',
      id: FAILURE_ID,
      session: FAILURE['session_id'],
      source: 'claude-code',
      occurredAt: expect.any(Number),
      payload: FAILURE,
    });
    const { occurredAt } = posts[0]?.body as { occurredAt: number };
    expect(occurredAt).toBeGreaterThanOrEqual(before - 1);
    expect(occurredAt).toBeLessThanOrEqual(Date.now());
    expect(existsSync(home)).toBe(false);
  });

  test('finds it by MESH_GATEWAY_URL, and the local one by its port', async () => {
    const { url, port, taken } = await startGatewayStub();

    await hook(FAILURE, { env: { MESH_GATEWAY_URL: `${url}/` } });
    await hook(FAILURE, { env: { MESH_GATEWAY_PORT: String(port) } });

    expect(taken()).toEqual([FAILURE_ID, FAILURE_ID]);
  });

  test('shows the token of MESH_TOKEN, else of the file in the state folder', async () => {
    const { url, posts } = await startGatewayStub();
    const home = tempFolder();
    writeFileSync(join(home, 'token'), 'from-file\n');

    await hook(FAILURE, { home, args: ['--gateway', url] });
    await hook(FAILURE, { home, args: ['--gateway', url], env: { MESH_TOKEN: 'from-env' } });

    expect(posts.map(({ headers }) => headers.authorization)).toEqual(['Bearer from-file', 'Bearer from-env']);
  });

  test('tells the place of its agent in the chain, as the agent inherited it', async () => {
    const { url, posts } = await startGatewayStub();
    const env = {
      MESH_TENANT: 'team-a',
      MESH_DEPTH: '2',
      MESH_ROOT_EVENT: 'e-0',
      MESH_REMEDIATION: 'remediation/t/r/e',
      MESH_LINEAGE: 'mesh1.x.y',
    };

    await hook(FAILURE, { args: ['--gateway', url], env });
    await hook(FAILURE, { args: ['--gateway', url, '--tenant', 'team-b'], env });

    expect(posts[0]?.body).toMatchObject({
      tenant: 'team-a',
      depth: 2,
      lineage: { root: 'e-0', parent: 'remediation/t/r/e', token: 'mesh1.x.y' },
    });
    expect(posts[1]?.body).toMatchObject({ tenant: 'team-b', depth: 2 });
  });

  test('takes secrets out before anything leaves, those of MESH_REDACT_KEYS too', async () => {
    const { url, posts } = await startGatewayStub();
    const raw = { ...FAILURE, tool_input: { command: 'x', password: 'hunter2-hunter2', shoeSize: 'nearly-44' } };

    await hook(raw, { args: ['--gateway', url], env: { MESH_REDACT_KEYS: 'shoe_size' } });

    const sent = JSON.stringify(posts[0]?.body);
    expect(sent).toContain('shoeSize');
    expect(sent).not.toMatch(/hunter2|nearly-44/);
  });

  test('makes an id for a hook that names nothing lasting', async () => {
    const { url, posts } = await startGatewayStub();

    await hook({ hook_event_name: 'Notification' }, { args: ['--gateway', url] });

    expect(posts[0]?.body).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), event: 'Notification' });
  });

  test('sends an event that is too large without its largest parts, and says so', async () => {
    const { url, posts } = await startGatewayStub();
    const home = tempFolder();
    const many = Array.from({ length: 40_000 }, (_, index) => `line ${index}`);

    await hook({ ...FAILURE, tool_response: many }, { home, args: ['--gateway', url] });
    await hook({ ...FAILURE, tool_response: many, tool_input: { many } }, { home, args: ['--gateway', url] });
    await hook({ ...FAILURE, other: many }, { home, args: ['--gateway', url] });

    const { session_id, error } = FAILURE;
    const mark = '[left out: too large]';
    const { tool_input } = FAILURE;
    expect(posts.map(({ body }) => body)).toMatchObject([
      { truncated: true, payload: { session_id, error, tool_input, tool_response: mark } },
      { truncated: true, payload: { session_id, error, tool_input: mark, tool_response: mark } },
      { truncated: true, payload: { session_id, error } },
    ]);
    expect(logOf(home)).toContain('parts of the payload were left out: payload: is ');
  });

  test('sends what no payload may hold without that part', async () => {
    const { url, posts } = await startGatewayStub();
    const raw = `{"hook_event_name":"Stop","session_id":"s","tool_input":{"__proto__":{"a":1}},"stop":${'['.repeat(500)}${']'.repeat(500)}}`;

    await hook(raw, { args: ['--gateway', url] });

    expect(posts[0]?.body).toMatchObject({ truncated: true, payload: { hook_event_name: 'Stop', session_id: 's' } });
  });
});

describe('with a gateway that does not take it', () => {
  test.each<[Answer, RegExp]>([
    [429, /answered 429/],
    [500, /answered 500/],
    [503, /answered 503/],
    [401, /answered 401/],
    [403, /answered 403/],
    [404, /answered 404/],
    [302, /answered 302/],
    [200, /answered 200/],
    [
      { status: 403, body: { code: 'forbidden', detail: 'this needs a role' } },
      /answered 403 forbidden: this needs a role/,
    ],
  ])('keeps the event after %j', async (answer, logged) => {
    const { url, posts } = await startGatewayStub(answer);
    const home = tempFolder();

    expect(await hook(FAILURE, { home, args: ['--gateway', url], env: NO_TEMPORAL })).toEqual(SILENT);

    expect(waiting(home)).toEqual([{ v: 1, event: posts[0]?.body }]);
    expect(logOf(home)).toMatch(logged);
  });

  test.each([400, 413, 415, 422])('puts the event aside after %i, which no retry mends', async (status) => {
    const body = { code: 'invalid-event', detail: 'no', problems: [{ path: 'depth', message: 'expected a number' }] };
    const { url, posts } = await startGatewayStub({ status, body });
    const home = tempFolder();

    expect(await hook(FAILURE, { home, args: ['--gateway', url] })).toEqual(SILENT);

    expect(waiting(home)).toEqual([]);
    const reason = expect.stringContaining(`${status} invalid-event`) as string;
    expect(entriesIn(join(home, 'spool', 'refused'))).toEqual([{ v: 1, event: posts[0]?.body, reason }]);
    expect(logOf(home)).toContain(`${FAILURE_ID}: ${status} invalid-event: no: depth: expected a number`);
  });

  test('waits 300 ms for an answer, and keeps the event', async () => {
    const { url } = await startGatewayStub('hang');
    const home = tempFolder();

    expect(await hook(FAILURE, { home, args: ['--gateway', url, '--wait', '300'] })).toEqual(SILENT);

    expect(waiting(home)).toHaveLength(1);
    expect(logOf(home)).toMatch(/no answer within (2\d\d|300) ms/);
  });

  test('keeps it with the hash of the token, not the token', async () => {
    const { url } = await startGatewayStub(503);
    const home = tempFolder();

    await hook(FAILURE, { home, args: ['--gateway', url], env: { MESH_TOKEN: 'my-token-is-long' } });

    expect(waiting(home)).toMatchObject([{ tokenHash: hashToken('my-token-is-long') }]);
    expect(
      readdirSync(join(home, 'spool'))
        .map((name) => readFileSync(join(home, 'spool', name), 'utf8'))
        .join(),
    ).not.toContain('my-token-is-long');
    expect(logOf(home)).not.toContain('my-token-is-long');
  });

  test('says with --verbose what went wrong', async () => {
    const { url } = await startGatewayStub(503);

    const { code, stdout, stderr } = await hook(FAILURE, { args: ['--gateway', url, '--verbose'] });

    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe(`mesh hook: event ${FAILURE_ID} waits in the spool: the gateway at ${url} answered 503\n`);
  });
});

describe('with nobody there', () => {
  test('keeps the event', async () => {
    const home = tempFolder();
    const gateway = `http://127.0.0.1:${await freePort()}`;

    expect(await hook(FAILURE, { home, args: ['--gateway', gateway], env: NO_TEMPORAL })).toEqual(SILENT);

    expect(waiting(home)).toMatchObject([{ event: { id: FAILURE_ID, occurredAt: expect.any(Number) } }]);
    expect(logOf(home)).toContain('ECONNREFUSED');
  });

  // The last one is a name that no name server knows, if one answers at all.
  test.each(['no address', 'ftp://127.0.0.1', 'http://', 'http://127.0.0.1:99999', 'http://mesh.invalid'])(
    'keeps the event when the gateway is said to be at %s',
    async (gateway) => {
      const home = tempFolder();

      expect(await hook(FAILURE, { home, args: ['--gateway', gateway], env: NO_TEMPORAL })).toEqual(SILENT);

      expect(waiting(home)).toHaveLength(1);
    },
  );

  test('keeps the event when a token cannot be a header', async () => {
    const { url } = await startGatewayStub();
    const home = tempFolder();

    expect(await hook(FAILURE, { home, args: ['--gateway', url], env: { MESH_TOKEN: 'two\nlines' } })).toEqual(SILENT);

    expect(waiting(home)).toHaveLength(1);
  });
});

describe('with a spool that holds something', () => {
  test('lines up behind it, and sends all of it in order', async () => {
    const { url, posts, taken } = await startGatewayStub();
    const home = tempFolder();
    for (const id of ['e-1', 'e-2', 'e-3']) await keep(home, id);

    expect(await hook(FAILURE, { home, args: ['--gateway', url] })).toEqual(SILENT);

    expect(posts).toHaveLength(1);
    expect(taken()).toEqual(['e-1', 'e-2', 'e-3', FAILURE_ID]);
    expect(readdirSync(join(home, 'spool'))).toEqual([]);
  });

  test('keeps the order when nobody takes anything', async () => {
    const { url } = await startGatewayStub(503);
    const home = tempFolder();
    await keep(home, 'e-1');

    await hook(FAILURE, { home, args: ['--gateway', url] });

    expect(waiting(home).map(({ event }) => event.id)).toEqual(['e-1', FAILURE_ID]);
  });

  test('puts aside what is refused, and sends the rest', async () => {
    const { url, taken } = await startGatewayStub(({ body }) =>
      [body].flat().some(({ id }) => id === 'e-2') ? 400 : 202,
    );
    const home = tempFolder();
    for (const id of ['e-1', 'e-2', 'e-3']) await keep(home, id);

    await hook(FAILURE, { home, args: ['--gateway', url] });

    expect(taken()).toEqual(['e-1', 'e-3', FAILURE_ID]);
    expect(entriesIn(join(home, 'spool', 'refused')).map(({ event }) => event.id)).toEqual(['e-2']);
  });

  test('sends with its token what that token was to report, and what none was', async () => {
    const { url, taken } = await startGatewayStub();
    const home = tempFolder();
    await keep(home, 'mine', 'my-token');
    await keep(home, 'theirs', 'their-token');
    await keep(home, 'without');

    await hook(FAILURE, { home, args: ['--gateway', url], env: { MESH_TOKEN: 'my-token' } });

    expect(taken()).toEqual(['mine', 'without', FAILURE_ID]);
    expect(waiting(home).map(({ event }) => event.id)).toEqual(['theirs']);
  });

  test('an event of a tenant that the token may not report holds up no others', async () => {
    const { url, taken } = await startGatewayStub(({ body }) =>
      [body].flat().some(({ tenant }) => tenant) ? 403 : 202,
    );
    const home = tempFolder();
    await writeEntry(join(home, 'spool'), { v: 1, event: { event: 'Stop', id: 'foreign', tenant: 'other' } });

    await hook(FAILURE, { home, args: ['--gateway', url] });

    expect(taken()).toEqual([FAILURE_ID]);
    expect(waiting(home).map(({ event }) => event.id)).toEqual(['foreign']);
  });

  test('no more than its time goes by while it sends, and what is left stays', async () => {
    const { url, posts } = await startGatewayStub('hang');
    const home = tempFolder();
    for (let index = 0; index < 250; index++) await keep(home, `e-${index}`);

    expect(await hook(FAILURE, { home, args: ['--gateway', url] })).toEqual(SILENT);

    expect(posts).toHaveLength(1);
    // What is left of its three seconds after it has looked through the spool.
    expect(logOf(home)).toMatch(/no answer within [12]?\d{1,3} ms$/m);
    expect(waiting(home)).toHaveLength(251);
  });
});

describe('straight to Temporal', () => {
  test('stores for less than half a second while an agent waits; what is left stays, in order', async () => {
    const tenant = `hook-${process.pid}-many`;
    const home = tempFolder();
    // Events of one tenant go together. In turn, so that each is a call of its own: all of them would take many seconds.
    for (let index = 0; index < 300; index++) {
      const event = { event: 'Stop', id: `e-${index}`, tenant: `${tenant}-${index % 2}` };
      await writeEntry(join(home, 'spool'), { v: 1, event });
    }
    const env = { MESH_GATEWAY_PORT: 'off', TEMPORAL_ADDRESS: inject('temporalAddress') };

    const left = await eventually('the first', async () => {
      expect(await hook(FAILURE, { home, args: ['--tenant', tenant], env })).toEqual(SILENT);
      const ids = waiting(home).map(({ event }) => event.id);
      return ids[0] === 'e-0' ? undefined : ids.filter((id) => id !== FAILURE_ID);
    });

    expect(left.length).toBeGreaterThan(150);
    expect(left).toEqual(Array.from({ length: left.length }, (_, index) => `e-${300 - left.length + index}`));
    expect(existsSync(join(home, 'hook.log')) ? logOf(home) : '').not.toContain('gave up after');
  });

  test('a server that takes connections and then says nothing holds up an agent for half a second', async () => {
    const home = tempFolder();
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;

    await hook(FAILURE, { home, env: { TEMPORAL_ADDRESS: `127.0.0.1:${port}` } });

    expect(waiting(home)).toHaveLength(1);
    // A busy machine notices a little later; the time of a call that nobody shortens is ten seconds.
    expect(logOf(home)).toMatch(/Deadline exceeded after (0\.[3-9]|[1-4]\.)/);
  });

  test.each([
    ['localhost:7000', { host: 'localhost', port: 7000 }],
    ['temporal.example.com', { host: 'temporal.example.com', port: 7233 }],
    ['https://temporal.example.com', { host: 'temporal.example.com', port: 7233 }],
    ['10.0.0.1', { host: '10.0.0.1', port: 7233 }],
    ['[::1]', { host: '::1', port: 7233 }],
    ['[::1]:7000', { host: '::1', port: 7000 }],
    ['dns:///one,two', undefined],
    ['localhost:99999', undefined],
  ])('finds it at %s', (address, place) => {
    expect(hostAndPort(address)).toEqual(place);
  });

  test('stores the event when there is to be no gateway, and the spool with it', async () => {
    const tenant = `hook-${process.pid}-straight`;
    const home = tempFolder();
    await writeEntry(join(home, 'spool'), { v: 1, event: { event: 'Stop', id: 'e-1', tenant } });
    const env = { MESH_GATEWAY_PORT: 'off', TEMPORAL_ADDRESS: inject('temporalAddress') };

    expect(await hook(FAILURE, { home, args: ['--tenant', tenant], env })).toEqual(SILENT);

    await eventually('both events', async () => {
      // On a busy machine its second may be over before it has stored them: then the next hook does.
      if (waiting(home).length > 0) await hook({ hook_event_name: 'Stop' }, { home, args: ['--tenant', tenant], env });
      return waiting(home).length === 0 ? true : undefined;
    });
    const stored = await eventsOf(tenant);
    expect(stored.slice(0, 2).map(({ id }) => id)).toEqual(['e-1', FAILURE_ID]);
    expect(stored[1]).toMatchObject({ event: 'PostToolUseFailure', outcome: 'failed', tenant, source: 'claude-code' });
  });

  test('stores it when the local gateway is not running', async () => {
    const tenant = `hook-${process.pid}-local`;
    const home = tempFolder();
    const env = {
      MESH_GATEWAY_PORT: String(await freePort()),
      MESH_TEMPORAL_PORT: inject('temporalAddress').split(':')[1] ?? '',
    };

    await eventually('the event', async () => {
      await hook(FAILURE, { home, args: ['--tenant', tenant], env });
      return waiting(home).length === 0 ? true : undefined;
    });

    expect((await eventsOf(tenant))[0]).toMatchObject({ id: FAILURE_ID });
  });

  test('does not, when a token or a gateway elsewhere says that the event belongs to another mesh', async () => {
    const home = tempFolder();
    const env = { MESH_TEMPORAL_PORT: inject('temporalAddress').split(':')[1] ?? '' };
    // Refuses connections as a host elsewhere would.
    const elsewhere = `http://0.0.0.0:${await freePort()}`;

    await hook(FAILURE, { home, args: ['--gateway', elsewhere], env });
    await hook(FAILURE, { home, args: ['--gateway', 'off'], env: { ...env, MESH_TOKEN: 'some-token' } });

    expect(waiting(home)).toHaveLength(2);
  });
});

describe('whatever happens, the exit code is 0 and nothing is printed', () => {
  test.each<[string, string[], string, RegExp]>([
    ['an unknown runtime', ['no-such'], JSON.stringify(FAILURE), /unknown runtime no-such: known are claude-code/],
    ['a runtime called like a part of every object', ['constructor'], '{}', /unknown runtime constructor/],
    ['no runtime', [], '{}', /which runtime\?/],
    ['no input', ['claude-code'], '', /nothing came on standard input/],
    ['input that is not JSON', ['claude-code'], '{"a":', /standard input is not JSON/],
    ['input that is no hook', ['claude-code'], '[1]', /expected the JSON of a hook/],
    ['a hook without a name', ['claude-code'], '{}', /hook_event_name/],
    ['an unknown option', ['claude-code', '--no-such'], '{}', /unknown option --no-such/],
    ['an option without its value', ['claude-code', '--tenant'], '{}', /--tenant needs a value/],
  ])('%s', async (_what, args, stdin, logged) => {
    const home = tempFolder();

    expect(
      await runMesh(['hook', ...args], { MESH_HOME: home, MESH_GATEWAY_PORT: 'off', ...NO_TEMPORAL }, stdin),
    ).toEqual(SILENT);

    expect(logOf(home)).toMatch(logged);
  });

  test('wrong settings do not keep an event from being sent', async () => {
    const { url, taken, posts } = await startGatewayStub();
    const home = tempFolder();
    const env = { MESH_GATEWAY_PORT: 'none', MESH_UI_PORT: 'x', MESH_DEPTH: 'deep' };

    expect(await hook(FAILURE, { home, args: ['--gateway', url, '--what', 'ever'], env })).toEqual(SILENT);

    expect(taken()).toEqual([FAILURE_ID]);
    expect(posts[0]?.body).not.toHaveProperty('depth');
    expect(logOf(home)).toMatch(/MESH_UI_PORT.*\n(.*\n)*.*MESH_DEPTH is no whole number/);
  });

  test('standard input that is never closed: after two seconds it goes on with what came', async () => {
    const { url, taken } = await startGatewayStub();
    const child = spawn(process.execPath, ['worker/mesh.mjs', 'hook', 'claude-code', '--gateway', url, ...PATIENT], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], MESH_HOME: tempFolder() },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.write(JSON.stringify(FAILURE));

    const code = await new Promise((resolve) => child.once('exit', resolve));

    expect(code).toBe(0);
    expect(taken()).toEqual([FAILURE_ID]);
  });

  test('more than 10 MB of input', async () => {
    const home = tempFolder();

    expect(await hook(JSON.stringify({ ...FAILURE, tool_response: 'x'.repeat(11_000_000) }), { home })).toEqual(SILENT);

    expect(logOf(home)).toContain('holds more than 10485760 bytes');
    expect(waiting(home)).toEqual([
      {
        v: 1,
        event: {
          event: 'PostToolUseFailure',
          outcome: 'failed',
          id: FAILURE_ID,
          session: FAILURE['session_id'],
          dialect: 'claude-code',
          source: 'claude-code',
          occurredAt: expect.any(Number),
          truncated: true,
          payload: {
            ...Object.fromEntries(Object.entries(FAILURE).filter(([, value]) => typeof value !== 'object')),
            mesh_note: expect.stringContaining('could not read all'),
          },
        },
      },
    ]);
    const [refused] = await refusedIn(home);
    expect(refused?.reason).toContain(`its beginning was reported as event ${FAILURE_ID}`);
    expect(refused?.text.length).toBeLessThan(10_000);
  });

  test('input that breaks off is reported as far as it came, and put aside without its secrets', async () => {
    const { url, posts } = await startGatewayStub();
    const home = tempFolder();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const cut =
      '{"hook_event_name":"PostToolUseFailure","session_id":"s-1","tool_name":"Bash","tool_use_id":"t-1",' +
      `"tool_input":{"session_id":"not-this","x":["tool_name"]},"error":"token ${secret}","duration_ms":12`;

    await hook(cut, { home, args: ['--gateway', url] });

    expect(posts[0]?.body).toMatchObject({
      event: 'PostToolUseFailure',
      outcome: 'failed',
      id: 'cc:s-1:PostToolUseFailure:t-1',
      truncated: true,
    });
    expect([posts[0]?.body].flat()[0]?.payload).toEqual({
      ...{ hook_event_name: 'PostToolUseFailure', session_id: 's-1', tool_name: 'Bash', tool_use_id: 't-1' },
      ...{ error: expect.stringContaining('[redacted]'), mesh_note: expect.any(String) },
    });
    const [refused] = await refusedIn(home);
    expect(refused?.reason).toMatch(/^standard input is not JSON: .*; its beginning was reported/);
    expect(refused?.text).toContain('not-this');
    expect(JSON.stringify([refused, posts[0]?.body, logOf(home)])).not.toContain(secret);
  });

  test('input that breaks off in a text full of quotes is looked through once', async () => {
    const { url, taken } = await startGatewayStub();
    const cut = `{"hook_event_name":"Stop","session_id":"s","tool_use_id":"t","error":"${'\\"'.repeat(4_000_000)}`;

    await hook(cut, { args: ['--gateway', url] });

    expect(taken()).toEqual(['cc:s:Stop:t']);
  });

  test('input of which nothing can be made is where a person finds it', async () => {
    const home = tempFolder();

    await hook('no JSON at all', { home });

    expect(waiting(home)).toEqual([]);
    const { stdout } = await runMesh(['spool', '--home', home]);
    expect(stdout).toMatch(/refused {2}1 event\n.*\n +standard input is not JSON: Unexpected token 'o'\n/);
    expect((await refusedIn(home))[0]?.text).toContain('no JSON at all');
  });

  test('10 MB of input is read, redacted and cut before the agent gets impatient', async () => {
    const { url, posts } = await startGatewayStub();
    const begun = performance.now();

    const text = `${'some words and a = sign, '.repeat(400_000)}`;
    await hook({ ...FAILURE, tool_response: text }, { args: ['--gateway', url] });

    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(posts[0]?.body).toMatchObject({ truncated: true });
  });

  test.each([
    ['a file', () => fileAsHome()],
    ['a place where nothing can be made', () => '/proc/no-such-home'],
    ['a link to nowhere', () => '/dev/null/home'],
  ])('a state folder that is %s: the event is sent all the same', async (_what, home) => {
    const { url, taken } = await startGatewayStub();

    expect(await hook(FAILURE, { home: home(), args: ['--gateway', url] })).toEqual(SILENT);

    expect(taken()).toEqual([FAILURE_ID]);
  });

  test('a state folder that cannot be written and nobody who takes the event: it says LOST', async () => {
    const gateway = `http://127.0.0.1:${await freePort()}`;

    const { code, stdout, stderr } = await hook(FAILURE, {
      home: fileAsHome(),
      args: ['--gateway', gateway, '--verbose'],
      env: NO_TEMPORAL,
    });

    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain(`LOST event ${FAILURE_ID}: nobody took it, and it cannot be kept`);
  });

  test('a full disk: no half entry is left', async () => {
    const { url } = await startGatewayStub(503);
    const home = tempFolder();
    mkdirSync(join(home, 'spool'));
    // The shell's limit for the size of files stands in for the end of the disk.
    const { code, stdout } = await shell(`ulimit -f 1; exec ${MESH_COMMAND} --home "$1" --gateway "$2"`, [home, url], {
      ...FAILURE,
      tool_response: 'x'.repeat(5_000),
    });

    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(readdirSync(join(home, 'spool'))).toEqual([]);
    expect(logOf(home)).toContain('LOST event');
  });

  test('a current folder that was deleted', async () => {
    const { url, taken } = await startGatewayStub();
    const gone = join(tempFolder(), 'gone');
    mkdirSync(gone);

    const run = await shell(`cd "$1"; rmdir "$1"; exec ${MESH_COMMAND} --gateway "$2"`, [gone, url], FAILURE);
    mkdirSync(gone);
    const spooling = await shell(`cd "$1"; rmdir "$1"; exec ${MESH_COMMAND} --gateway "$2"`, [gone, 'off'], FAILURE);

    expect(run).toEqual(SILENT);
    expect(spooling).toEqual(SILENT);
    expect(taken()).toEqual([FAILURE_ID]);
  });

  test('a reader of its output that is gone, as after the end of its agent', async () => {
    const { url } = await startGatewayStub(503);
    const home = tempFolder();
    const child = spawn(
      '/bin/sh',
      ['-c', `${MESH_COMMAND} --home "$1" --gateway "$2" --verbose; echo $? > "$1/code"`, 'sh', home, url],
      {
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    child.stdout.destroy();
    child.stderr.destroy();
    endInput(child, JSON.stringify(FAILURE));
    await new Promise((resolve) => child.once('exit', resolve));

    expect(readFileSync(join(home, 'code'), 'utf8').trim()).toBe('0');
    expect(waiting(home)).toHaveLength(1);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s, as when somebody stops the agent: the event is kept',
    async (signal) => {
      const home = tempFolder();
      const { url, posts } = await startGatewayStub('hang');
      const running = startNode(
        ['worker/mesh.mjs', 'hook', 'claude-code', '--gateway', url, ...PATIENT],
        { MESH_HOME: home },
        JSON.stringify(FAILURE),
      );
      await eventually('its request', () => (posts.length === 1 ? true : undefined));
      running.child.kill(signal);

      expect(await running.finished).toEqual(SILENT);
      expect(waiting(home)).toHaveLength(1);
    },
  );
});

describe('killed while it writes', () => {
  test('half an entry is never taken for one', async () => {
    const home = tempFolder();
    const refusing = await startGatewayStub(503);
    const mark = join(tempFolder(), 'mark');
    const preload = `data:text/javascript,${encodeURIComponent(STOPS_HALF_WAY)}`;
    const running = startNode(
      ['--import', preload, 'worker/mesh.mjs', 'hook', 'claude-code', '--gateway', refusing.url],
      { MESH_HOME: home, STOP_MARK: mark },
      JSON.stringify(FAILURE),
    );
    await eventually('the point half-way', () => (existsSync(mark) ? true : undefined));
    running.child.kill('SIGKILL');
    await running.finished;
    const [part = ''] = readdirSync(join(home, 'spool'));
    expect(part).toMatch(/^\..*\.part$/);
    const half = readFileSync(join(home, 'spool', part), 'utf8');
    expect(half.length).toBeGreaterThan(50);
    expect(() => JSON.parse(half) as unknown).toThrow();

    const taking = await startGatewayStub();
    expect(await hook({ ...FAILURE, tool_use_id: 'next' }, { home, args: ['--gateway', taking.url] })).toEqual(SILENT);
    await writeEntry(join(home, 'spool'), { v: 1, event: { event: 'Stop', id: 'waits' } });
    expect(await hook({ ...FAILURE, tool_use_id: 'last' }, { home, args: ['--gateway', taking.url] })).toEqual(SILENT);

    expect(taking.taken().map((id) => id.split(':').at(-1))).toEqual(['next', 'waits', 'last']);
    expect(existsSync(join(home, 'spool', 'refused'))).toBe(false);
  });
});

describe('where the mesh is not compiled', () => {
  test('the event is lost, in silence unless --verbose asks', async () => {
    const home = tempFolder();
    const copy = uncompiledCommand();
    const args = [copy, 'hook', 'claude-code', '--home', home];

    expect(await startNode(args, {}, JSON.stringify(FAILURE)).finished).toEqual(SILENT);
    expect(await startNode([...args, '--verbose'], {}, JSON.stringify(FAILURE)).finished).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^mesh hook: the event is lost, .*\n$/),
    });
    expect(readdirSync(home)).toEqual([]);
  });
});

describe('its log', () => {
  test('holds no secrets, one line per problem, and never grows past a megabyte', async () => {
    const home = tempFolder();
    writeFileSync(join(home, 'hook.log'), 'x'.repeat(1_100_000));
    const secret = `ghp_${'a1B2'.repeat(9)}`;

    await hook(`{"token": ${secret}\n\n`, { home });

    expect(readFileSync(join(home, 'hook.log.1'), 'utf8')).toHaveLength(1_100_000);
    expect(logOf(home)).not.toContain(secret);
    expect(logOf(home).trim().split('\n')).toHaveLength(1);
    expect(logOf(home)).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z \d+ refused \S+: standard input is not JSON/);
  });
});

test('--help helps a person', async () => {
  const { code, stdout } = await runMesh(['hook', '--help']);

  expect(code).toBe(0);
  expect(stdout).toContain('Usage: mesh hook [options] <runtime>');
});

const MESH_COMMAND = `'${process.execPath}' '${join(ROOT, 'worker', 'mesh.mjs')}' hook claude-code`;

/** Writes the first half of an entry to disk, leaves a mark, and waits for ever. */
const STOPS_HALF_WAY = `
  import { open } from 'node:fs/promises';
  import { writeFileSync } from 'node:fs';
  const handle = await open(process.execPath, 'r');
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  prototype.writeFile = async function (text) {
    await this.write(text.slice(0, text.length / 2));
    writeFileSync(process.env.STOP_MARK, '');
    await new Promise((resolve) => setInterval(() => undefined, 1_000));
  };
`;

interface HookRun {
  home?: string;
  args?: string[];
  env?: Record<string, string>;
}

/** So long that a stub has its turn by then, on a machine that is busy with other tests. How long it waits is tested apart. */
const PATIENT = ['--wait', '3000'];

function hook(raw: unknown, { home = tempFolder(), args = [], env = {} }: HookRun = {}) {
  const stdin = typeof raw === 'string' ? raw : JSON.stringify(raw);
  return runMesh(
    ['hook', 'claude-code', '--home', home, ...PATIENT, ...args],
    { MESH_GATEWAY_PORT: 'off', ...NO_TEMPORAL, ...env },
    stdin,
  );
}

/** As a runtime runs its hooks. */
async function shell(script: string, args: string[], raw: unknown) {
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...args], {
    env: { PATH: process.env['PATH'], ...NO_TEMPORAL },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  endInput(child, JSON.stringify(raw));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

function keep(home: string, id: string, token?: string): Promise<string> {
  const tokenHash = token === undefined ? {} : { tokenHash: hashToken(token) };
  return writeEntry(join(home, 'spool'), { v: 1, event: { event: 'Stop', id }, ...tokenHash });
}

function waiting(home: string): SpoolEntry[] {
  return entriesIn(join(home, 'spool'));
}

function entriesIn(folder: string): SpoolEntry[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => readName(name) !== undefined);
  return names.sort().map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as SpoolEntry);
}

function logOf(home: string): string {
  return readFileSync(join(home, 'hook.log'), 'utf8');
}

async function refusedIn(home: string): Promise<{ text: string; reason: string }[]> {
  const refused = await listRefused(join(home, 'spool'));
  return refused.map(({ file, reason }) => ({ text: readFileSync(file, 'utf8'), reason }));
}

/** The command beside nothing that it could load. */
function uncompiledCommand(): string {
  const folder = join(tempFolder(), 'worker');
  mkdirSync(folder, { recursive: true });
  const copy = join(folder, 'mesh.mjs');
  writeFileSync(copy, readFileSync(join(ROOT, 'worker', 'mesh.mjs')));
  return copy;
}

function fileAsHome(): string {
  const file = join(tempFolder(), 'file');
  writeFileSync(file, '');
  return file;
}

async function eventsOf(tenant: string): Promise<MeshEvent[]> {
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  try {
    const history = await new Client({ connection }).workflow.getHandle(watchId(tenant)).fetchHistory();
    return (history.events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) => {
      const payload = signal?.input?.payloads?.[0];
      return payload ? defaultPayloadConverter.fromPayload<MeshEvent[]>(payload) : [];
    });
  } finally {
    await connection.close();
  }
}
