import { temporal } from '@temporalio/proto';
import { afterEach, expect, test } from 'vitest';
import { type NotStoredError, WatchFullError } from '#client/mesh.js';
import { watchId } from '#contract/ids.js';
import { eventually } from '../support/eventually.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

const { EventType } = temporal.api.enums.v1;

let mesh: TestMesh | undefined;

afterEach(async () => {
  await mesh?.stop();
  mesh = undefined;
});

const rule = { id: 'r', mode: 'shadow', trigger: { event: 'TaskCompleted' }, actions: [{ type: 'notify_team' }] };
const rules = { defaultCooldownMs: 0, defaultDedupWindowMs: 0, rules: [rule] };

test(
  'what nobody can judge yet is held up to a limit; then the sender gets the error, and nothing taken is lost',
  { timeout: 120_000 },
  async () => {
    mesh = await startTestMesh({ rules, withoutWorker: true });
    const { mesh: sdk, tenant, judged, status, startWorker } = mesh;
    // In pieces, since a longer text is cut.
    const payload = { texts: Array.from({ length: 25 }, () => 'x'.repeat(8_000)) };
    const event = (index: number) => ({ id: `e-${index}`, tenant, event: 'TaskCompleted', payload });

    let taken = 0;
    let refusal: unknown;
    while (refusal === undefined && taken < 400) {
      try {
        await sdk.report([event(taken), event(taken + 1)]);
        taken += 2;
      } catch (error) {
        refusal = error;
      }
    }
    expect(refusal).toMatchObject({
      code: 'not-stored',
      reason: 'watch-full',
      cause: expect.any(WatchFullError) as Error,
    });
    expect((refusal as NotStoredError).message).toContain('takes no more');
    expect(taken * 200_000).toBeGreaterThan(6_000_000);

    await startWorker();
    await eventually('all judged', async () => ((await status()).counters.events === taken ? true : undefined), 60_000);
    expect((await status()).counters.rules['r']).toMatchObject({ skipped: { shadow: taken } });
    await sdk.report(event(9_999));
    expect(await judged('e-9999')).toEqual(['r/notify_team:0 shadow']);
  },
);

test('held events outlive continue-as-new, and so does since when they are held', { timeout: 60_000 }, async () => {
  mesh = await startTestMesh({ rules: 'broken: [', watch: { maxHistoryEvents: 30 } });
  const { report, status, judged, watch, writeRules } = mesh;
  let firstSeenAt = 0;
  for (let index = 0; index < 30; index++) {
    await report({ id: `e-${index}` });
    await eventually('held', async () => ((await status()).held?.events === index + 1 ? true : undefined));
    firstSeenAt ||= Date.now();
  }
  const { history, held } = await status();
  expect(history.runs).toBeGreaterThan(1);
  expect(held?.sinceAt).toBeLessThanOrEqual(firstSeenAt);
  expect((await watch().describe()).status.name).toBe('RUNNING');

  await writeRules(rules);

  expect(await judged('e-29')).toEqual(['r/notify_team:0 shadow']);
  expect((await status()).counters).toMatchObject({ events: 30, skipped: { shadow: 30 } });
});

test('reports made at once go out one batch after the other', async () => {
  mesh = await startTestMesh({ rules });
  const { report, status, client, tenant } = mesh;

  await Promise.all(Array.from({ length: 100 }, (_, index) => report({ id: `e-${index}` })));

  await eventually('all judged', async () => ((await status()).counters.events === 100 ? true : undefined));
  expect((await client.workflow.getHandle(watchId(tenant)).describe()).status.name).toBe('RUNNING');
});

test('the watch continues as new in the gap that a sender announces, so that no signal slips in', async () => {
  mesh = await startTestMesh({ rules });
  const { report, judged, status, watch, client } = mesh;
  const anEvent = (id: string) => ({
    ...{
      id,
      event: 'TaskCompleted',
      outcome: 'failed',
      tenant: mesh?.tenant,
      depth: 0,
      occurredAt: Date.now(),
      payload: {},
    },
  });
  let index = 0;
  do {
    const [id = ''] = await report({ id: `e-${++index}` });
    await judged(id);
  } while ((await status()).history.events <= 200);
  expect((await status()).history.runs).toBe(1);
  const { runId } = await watch().describe();

  await watch().signal('events', [anEvent('last')], { gapAhead: true });

  await eventually('the next run', async () => ((await status()).history.runs === 2 ? true : undefined));
  expect(await judged('last')).toEqual(['r/notify_team:0 shadow']);
  // In the task that has judged it, without the wait after which a quiet watch would do so anyway.
  const { events = [] } = await client.workflow.getHandle(watch().workflowId, runId).fetchHistory();
  const kinds = events?.slice(events.findLastIndex((event) => event.activityTaskCompletedEventAttributes) + 1);
  expect(kinds?.map(({ eventType }) => eventType)).toEqual([
    EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED,
    EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED,
    EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
    EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW,
  ]);
});
