import { expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/test-gateway.js';

const HOOK = {
  hook_event_name: 'PostToolUseFailure',
  session_id: 's-1',
  tool_name: 'Bash',
  tool_use_id: 'toolu-1',
  error: 'timeout',
};

async function post({ app }: TestGateway, payload: object | undefined, headers: Record<string, string> = {}) {
  const answer = await app.inject({
    method: 'POST',
    url: '/v1/hooks/claude-code',
    headers,
    ...(payload && { payload }),
  });
  return { status: answer.statusCode, body: answer.json() };
}

test('is stored as an event, and answered with an empty object, which tells the runtime to go on', async () => {
  const gateway = await startTestGateway();

  expect(await post(gateway, HOOK)).toEqual({ status: 200, body: {} });
  expect(gateway.mesh.stored).toMatchObject([
    {
      id: 'cc:s-1:PostToolUseFailure:toolu-1',
      outcome: 'failed',
      session: 's-1',
      source: 'claude-code',
      payload: HOOK,
    },
  ]);
});

test('takes its place in a chain from headers', async () => {
  const gateway = await startTestGateway();
  const remediation = 'remediation/default/r/e-1';

  await post(gateway, HOOK, { 'x-mesh-depth': '2', 'x-mesh-root-event': 'e-1', 'x-mesh-remediation': remediation });

  expect(gateway.mesh.stored).toMatchObject([{ depth: 2, lineage: { root: 'e-1', parent: remediation } }]);
});

test('takes the token that proves its place', async () => {
  const gateway = await startTestGateway();

  await post(gateway, HOOK, { 'x-mesh-lineage': 'mesh1.x.y' });
  await post(gateway, { ...HOOK, tool_use_id: 'other' }, { 'x-mesh-lineage': 'x'.repeat(5_000) });

  // A token that cannot be ours is refused where it is judged; the event is not lost for it.
  expect(gateway.mesh.stored).toMatchObject([
    { lineage: { token: 'mesh1.x.y' } },
    { lineage: { token: 'x'.repeat(4_000) } },
  ]);
});

test.each(['', '$MESH_DEPTH'])('a header of a variable that is not set, %j, counts as absent', async (value) => {
  const gateway = await startTestGateway();

  await post(gateway, HOOK, {
    'x-mesh-depth': value,
    'x-mesh-root-event': value,
    'x-mesh-remediation': value,
    'x-mesh-lineage': value,
  });

  expect(gateway.mesh.stored[0]).toMatchObject({ depth: 0 });
  expect(gateway.mesh.stored[0]).not.toHaveProperty('lineage');
});

test.each([
  ['no hook', { payload: {} }, {}, 'invalid-event', 'hook_event_name'],
  ['a name that is none', { ...HOOK, hook_event_name: '1' }, {}, 'invalid-event', 'hook_event_name'],
  ['a depth that is none', HOOK, { 'x-mesh-depth': 'deep' }, 'invalid-request', 'X-Mesh-Depth'],
  ['a depth beyond all', HOOK, { 'x-mesh-depth': '101' }, 'invalid-event', 'depth'],
  [
    'a trap in it',
    JSON.parse('{"hook_event_name":"Stop","a":{"__proto__":1}}') as object,
    {},
    'invalid-event',
    'a.__proto__',
  ],
])('%s is refused with its place', async (_what, payload, headers, code, path) => {
  const gateway = await startTestGateway();

  expect(await post(gateway, payload, headers)).toMatchObject({ status: 400, body: { code, problems: [{ path }] } });
  expect(gateway.mesh.stored).toEqual([]);
});

test('an empty body is refused', async () => {
  expect(await post(await startTestGateway(), undefined)).toMatchObject({
    status: 400,
    body: { code: 'invalid-json' },
  });
});
