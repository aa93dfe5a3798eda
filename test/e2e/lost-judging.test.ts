import { expect, test } from 'vitest';
import type { RemediationInput } from '#contract/remediation.js';
import { eventually } from '../support/eventually.js';
import { startMeshWorkerProcess } from '../support/mesh-worker-process.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

// A worker dies when it has started what fired, and has told nobody. Whatever comes between, the remediation that exists has its
// verdict, its count and its windows.

const COOLDOWN_MS = 600_000;
const AFTER_KILL_MS = 60_000;
const TEAM = { teams: { ops: { members: [{ name: 'ada', email: 'ada@example.com' }] } } };

function rules(id: string): object {
  const actions = [{ type: 'notify_team', id: 'tell', teamName: 'ops' }];
  return { rules: [{ id, trigger: { event: 'TaskCompleted' }, cooldownMs: COOLDOWN_MS, actions }] };
}

const BETWEEN: Record<string, (mesh: TestMesh) => Promise<unknown>> = {
  'nothing happens': () => Promise.resolve(),
  'the tenant is paused': ({ mesh, tenant }) => mesh.pause(tenant),
  'the rule goes': ({ writeRules }) => writeRules(rules('another')),
  'the rules are broken': ({ writeRules }) => writeRules('rules: [broken'),
  'the rule is re-armed': ({ mesh, tenant }) => mesh.rearm(tenant),
  'the same comes again': ({ report }) => report({ id: 'e-1' }),
};

test.concurrent.for(Object.entries(BETWEEN))(
  'a worker is killed after a start, then %s: what runs is what was judged',
  { timeout: 120_000 },
  async ([between, happens], { onTestFinished }) => {
    const mesh = await startTestMesh({
      rules: rules('r'),
      config: TEAM,
      withoutWorker: true,
    });
    onTestFinished(() => mesh.stop());
    const worker = await startMeshWorkerProcess(mesh, { stops: ['after startRemediations'] });
    try {
      await mesh.report({ id: 'e-1' });
      await worker.reached(['after startRemediations']);
    } finally {
      await worker.kill();
    }

    await happens(mesh);
    await mesh.startWorker();

    await eventually('end', () => mesh.remediation('r', 'e-1').result(), AFTER_KILL_MS);
    const isRearmed = between === 'the rule is re-armed';
    // What the watch has heard meanwhile comes after the start, which is tried again when the dead worker is noticed.
    await eventually(
      'windows as they are in the end',
      async () => ((await mesh.status()).guards.live.cooldowns === (isRearmed ? 0 : 1) ? true : undefined),
      AFTER_KILL_MS,
    );
    const verdict = (await mesh.verdicts('e-1')).find((one) => one.remediation !== undefined);
    expect(verdict).toMatchObject({ verdict: 'fire', rule: 'r', action: 'tell' });
    const { events } = await mesh.remediation('r', 'e-1').fetchHistory();
    const data = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
    const { firedAt } = JSON.parse(Buffer.from(data ?? '').toString()) as RemediationInput;
    expect(verdict?.at).toBe(firedAt);
    const { counters, guards } = await mesh.status();
    expect(counters.rules['r']?.fired).toBe(1);
    expect(guards.cooldowns.map(({ untilAt }) => untilAt)).toEqual(isRearmed ? [] : [firedAt + COOLDOWN_MS]);
  },
);

test.concurrent(
  'a worker is killed before a start, then the rules are broken: that is shown, and it is started when they are mended',
  { timeout: 120_000 },
  async ({ onTestFinished }) => {
    const mesh = await startTestMesh({ rules: rules('r'), config: TEAM, withoutWorker: true });
    onTestFinished(() => mesh.stop());
    const worker = await startMeshWorkerProcess(mesh, { stops: ['before startRemediations'] });
    try {
      await mesh.report({ id: 'e-1' });
      await worker.reached(['before startRemediations']);
    } finally {
      await worker.kill();
    }
    await mesh.writeRules('rules: [broken');
    await mesh.startWorker();

    const held = await eventually('hold', async () => (await mesh.status()).held ?? undefined, AFTER_KILL_MS);
    expect(held.problems.join()).toContain('rules/');
    expect(await mesh.verdicts('e-1')).toMatchObject([{ verdict: 'fire', rule: 'r' }]);
    await mesh.writeRules(rules('r'));

    await eventually('end', () => mesh.remediation('r', 'e-1').result(), AFTER_KILL_MS);
    await eventually('end of the hold', async () => ((await mesh.status()).held ? undefined : true));
    const { workflowId } = mesh.remediation('r', 'e-1');
    expect(await mesh.verdicts('e-1')).toMatchObject([{ verdict: 'fire', remediation: workflowId }]);
  },
);
