import { temporal } from '@temporalio/proto';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { longestTaskMs } from '../support/longest-task.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

const FAILED = temporal.api.enums.v1.EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED;
const TIMED_OUT = temporal.api.enums.v1.EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT;

let mesh: TestMesh | undefined;

afterEach(async () => {
  await mesh?.stop();
  mesh = undefined;
});

/** Nobody is in the team, so that a remediation is over at once. */
async function meshWith(count: number, rule: Record<string, unknown>, startWorker = true): Promise<TestMesh> {
  const actions = [{ type: 'notify_team', id: 'tell', teamName: 'away' }];
  const trigger = { event: 'TaskCompleted' };
  const rules = Array.from({ length: count }, (_, index) => ({ id: `rule-${index}`, trigger, actions, ...rule }));
  mesh = await startTestMesh({ rules: { rules }, withoutWorker: !startWorker, ownThread: true });
  return mesh;
}

test(
  'an event that 1,000 rules look at fires 50 of them, quickly, and has all its verdicts',
  { timeout: 90_000 },
  async () => {
    const { report, judged, verdicts, client, tenant, watch } = await meshWith(1_000, {});
    await report({ id: 'first', event: 'Stop' });
    await judged('first');

    const begunAt = performance.now();
    await report({ id: 'e-1' });
    await eventually('50 remediations', async () => {
      const { count } = await client.workflow.count(`WorkflowType = "remediate" AND MeshTenant = "${tenant}"`);
      return count >= 50 ? true : undefined;
    });
    // Before the limit 12 s went by until all were started.
    expect(performance.now() - begunAt).toBeLessThan(6_000);

    const said = await verdicts('e-1');
    expect(said.slice(0, 50).map((one) => [one.rule, one.verdict])).toEqual(
      Array.from({ length: 50 }, (_, index) => [`rule-${index}`, 'fire']),
    );
    expect(said.slice(50)).toMatchObject([
      {
        code: 'rule-limit',
        reason: '50 rules fired for this event, the most that one event may fire; not judged: 950 more',
      },
    ]);
    const ids = said.slice(0, 50).map(({ remediation }) => remediation);
    expect(new Set(ids).size).toBe(50);
    expect(ids).not.toContain(undefined);
    // A loaded machine may take twice as long; without the limit it was one task of 8 s.
    expect(await longestTaskMs(watch())).toBeLessThan(4_000);
  },
);

test('all verdicts of the newest event are kept, also when 1,000 rules on trial look at it', async () => {
  const { report, judged, verdicts } = await meshWith(1_000, { mode: 'shadow' });

  for (const id of ['e-1', 'e-2', 'e-3']) {
    await report({ id, payload: { id } });
    await judged(id);
    expect(await verdicts(id)).toHaveLength(1_000);
  }

  expect(await verdicts('e-1')).toEqual([]);
});

test(
  'events that 1,000 rules look at are judged in parts, of which none is too much for a task',
  { timeout: 90_000 },
  async () => {
    const { report, status, startWorker, watch } = await meshWith(1_000, { mode: 'shadow', cooldownMs: 60_000 }, false);
    await report(...Array.from({ length: 30 }, (_, index) => ({ id: `e-${index}`, payload: { index } })));

    await startWorker();

    await eventually('all judged', async () => ((await status()).counters.events === 30 ? true : undefined), 60_000);
    const { events = [] } = await watch().fetchHistory();
    const isLost = (kind: temporal.api.enums.v1.EventType) => events?.some(({ eventType }) => eventType === kind);
    expect([isLost(FAILED), isLost(TIMED_OUT)]).toEqual([false, false]);
    // An answer about five of them or so is one record, of at most 2 MB.
    const sizes = events?.map((event) => JSON.stringify(event).length) ?? [];
    expect(Math.max(...sizes)).toBeLessThan(2_000_000);
  },
);

test('a rule with as many messages as there may be is done soon, in short tasks and a small history', async () => {
  const members = Array.from({ length: 5 }, (_, index) => ({ name: `m${index}`, email: `m${index}@example.com` }));
  const actions = Array.from({ length: 20 }, (_, index) => ({
    type: 'notify_team',
    id: `tell-${index}`,
    teamName: 't',
  }));
  mesh = await startTestMesh({
    rules: { rules: [{ id: 'r', trigger: { event: 'TaskCompleted' }, actions }] },
    config: { teams: { t: { members } } },
    ownThread: true,
  });
  const { report, result, remediation } = mesh;

  await report({ id: 'e-1', payload: { error: 'x'.repeat(5_000) } });
  const { actions: done } = await result('r', 'e-1');

  expect(done.flatMap(({ deliveries = [] }) => deliveries)).toHaveLength(100);
  const { historySize } = await remediation('r', 'e-1').describe();
  // With 100 such actions it was 34 MB, since each is told of all the others.
  expect(historySize).toBeLessThan(4_000_000);
  expect(await longestTaskMs(remediation('r', 'e-1'))).toBeLessThan(1_000);
});
