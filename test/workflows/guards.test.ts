import { afterEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

let mesh: TestMesh | undefined;

afterEach(async () => {
  await mesh?.stop();
  mesh = undefined;
});

const notify = { type: 'notify_team', id: 'tell' };

async function meshWith(rule: Record<string, unknown>, file: Record<string, unknown> = {}): Promise<TestMesh> {
  mesh = await startTestMesh({
    rules: {
      defaultCooldownMs: 0,
      defaultDedupWindowMs: 0,
      ...file,
      rules: [{ id: 'r', trigger: { event: 'TaskCompleted' }, actions: [notify], ...rule }],
    },
  });
  return mesh;
}

test('an event id is judged once, however often it is reported', async () => {
  const { report, judged, verdicts, status } = await meshWith({});
  await report({ id: 'e-1' });
  await judged('e-1');

  await report({ id: 'e-1' }, { id: 'e-1' });
  await report({ id: 'e-2' });
  await judged('e-2');

  const codes = (await verdicts('e-1')).map((verdict) => (verdict.verdict === 'fire' ? 'fire' : verdict.code));
  expect(codes).toEqual(['fire', 'duplicate']);
  expect((await status()).counters).toMatchObject({ events: 4, fired: 2, skipped: { duplicate: 2 } });
});

test('a rule that cools down skips every action and says for how long', async () => {
  const { report, judged, verdicts, status } = await meshWith({ cooldownMs: 60_000 });
  await report({ id: 'e-1', payload: { n: 1 } });
  await judged('e-1');

  await report({ id: 'e-2', payload: { n: 2 } });

  expect(await judged('e-2')).toEqual(['r/tell cooldown']);
  const [verdict] = await verdicts('e-2');
  expect(verdict).toHaveProperty('reason', expect.stringMatching(/^rule cooldown active for \d{4,5}ms$/));
  expect((await status()).guards.cooldowns).toMatchObject([{ rule: 'r' }]);
});

test('a cooldown ends when it is over', async () => {
  const { report, judged, status } = await meshWith({ cooldownMs: 1_500 });
  await report({ id: 'e-1', payload: { n: 1 } });
  await judged('e-1');

  await eventually('end of the cooldown', async () =>
    (await status()).guards.live.cooldowns === 0 ? true : undefined,
  );
  await report({ id: 'e-2', payload: { n: 2 } });

  expect(await judged('e-2')).toEqual(['r/tell fire']);
});

test('an equal event is a repeat, another session is not', async () => {
  const { report, judged } = await meshWith({ dedupWindowMs: 60_000 });
  await report({ id: 'e-1', session: 'a', payload: { error: 'x', tool_use_id: '1' } });
  await judged('e-1');

  await report({ id: 'e-2', session: 'a', payload: { error: 'x', tool_use_id: '2' } });
  await report({ id: 'e-3', session: 'b', payload: { error: 'x', tool_use_id: '3' } });

  expect(await judged('e-2')).toEqual(['r/tell dedup']);
  expect(await judged('e-3')).toEqual(['r/tell fire']);
});

test('depth stops a chain, at the rule and at the file', async () => {
  const { report, judged } = await meshWith({ maxDepth: 1 }, { maxChainDepth: 2 });

  await report({ id: 'e-0', depth: 0 }, { id: 'e-1', depth: 1 }, { id: 'e-2', depth: 2 });

  expect(await judged('e-0')).toEqual(['r/tell fire']);
  expect(await judged('e-1')).toEqual(['r/tell rule-depth']);
  expect(await judged('e-2')).toEqual(['max-depth']);
});

test('an old event is stale', async () => {
  const { report, judged } = await meshWith({}, { maxEventAgeMs: 60_000 });

  await report({ id: 'e-old', occurredAt: Date.now() - 120_000 }, { id: 'e-new' });

  expect(await judged('e-old')).toEqual(['stale']);
  expect(await judged('e-new')).toEqual(['r/tell fire']);
});

test('shadow judges, arms and records, and starts nothing', async () => {
  const { report, judged, status, remediation } = await meshWith({ mode: 'shadow', cooldownMs: 60_000 });

  await report({ id: 'e-1', payload: { n: 1 } }, { id: 'e-2', payload: { n: 2 } });

  expect(await judged('e-1')).toEqual(['r/tell shadow']);
  expect(await judged('e-2')).toEqual(['r/tell cooldown']);
  expect((await status()).counters.fired).toBe(0);
  await expect(remediation('r', 'e-1').describe()).rejects.toThrow(/not found/i);
});

test('re-arming one rule frees its windows and leaves those of others', async () => {
  mesh = await startTestMesh({
    rules: {
      defaultCooldownMs: 60_000,
      rules: ['a', 'b'].map((id) => ({ id, trigger: { event: 'TaskCompleted' }, actions: [notify] })),
    },
  });
  const { report, judged, tenant } = mesh;
  await report({ id: 'e-1' });
  await judged('e-1');

  await mesh.mesh.rearm(tenant, 'a');
  await report({ id: 'e-2' });

  expect(await judged('e-2')).toEqual(['a/tell fire', 'b/tell cooldown']);
});

test('a pause skips what arrives, and what had arrived, until it is resumed', async () => {
  const { report, judged, verdicts, mesh: sdk, tenant } = await meshWith({});
  await sdk.pause(tenant, 'deploying');
  await report({ id: 'e-1' });
  expect(await judged('e-1')).toEqual(['paused']);
  expect((await verdicts('e-1'))[0]).toHaveProperty('reason', 'tenant is paused: deploying');

  await sdk.resume(tenant);
  await report({ id: 'e-2' });

  expect(await judged('e-2')).toEqual(['r/tell fire']);
});

test('an event that is no event gets a verdict, and the others of its batch are judged', async () => {
  const { report, judged, watch } = await meshWith({});
  await report({ id: 'e-1' });
  await judged('e-1');

  const good = {
    id: 'e-2',
    event: 'TaskCompleted',
    outcome: 'failed',
    tenant: 't',
    depth: 0,
    occurredAt: 0,
    payload: {},
  };
  await watch().signal('events', [{ id: 'e-bad', nonsense: true }, 17, good]);

  expect(await judged('e-bad')).toEqual(['error']);
  expect(await judged('?')).toEqual(['error']);
  expect(await judged('e-2')).toEqual(['r/tell fire']);
});
