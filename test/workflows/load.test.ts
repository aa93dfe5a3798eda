import { afterEach, expect, test } from 'vitest';
import type { SavedWatch, WatchRunInput } from '#workflows/watch/open-watch.js';
import { eventually } from '../support/eventually.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

let mesh: TestMesh | undefined;

afterEach(async () => {
  await mesh?.stop();
  mesh = undefined;
});

test(
  '20,000 live dedup windows go through continue-as-new in under 1.5 MB, and each still refuses its repeat',
  { timeout: 120_000 },
  async () => {
    const rule = {
      id: 'r',
      mode: 'shadow',
      trigger: { event: 'TaskCompleted' },
      actions: [{ type: 'notify_team', id: 'tell' }],
    };
    mesh = await startTestMesh({
      rules: { defaultCooldownMs: 0, defaultDedupWindowMs: 3_600_000, rules: [rule] },
      watch: { maxHistoryEvents: 250 },
      ownThread: true,
    });
    const { report, status, judged, watch, client } = mesh;
    const event = (index: number, round: string) => ({ id: `${round}-${index}`, payload: { index } });

    for (let from = 0; from < 20_000; from += 2_000) {
      await report(...Array.from({ length: 2_000 }, (_, index) => event(from + index, 'first')));
      // All of them at once are more than a watch takes before it has judged some.
      const isJudged = async () => (await status()).counters.events === from + 2_000 || undefined;
      await eventually(`${from} events and the next judged`, isJudged);
    }
    const before = await status();
    expect(before.guards.live.dedups).toBe(20_000);
    expect(before.counters.skipped).toEqual({ shadow: 20_000 });

    // Small waves until the next run begins, which then carries all of it.
    let filler = 0;
    await eventually('next run', async () => {
      for (let wave = 0; wave < 10; wave++) await report({ id: `filler-${filler++}`, event: 'SessionStart' });
      return (await status()).history.runs > before.history.runs ? true : undefined;
    });
    const { runId } = await watch().describe();
    const history = await client.workflow.getHandle(watch().workflowId, runId).fetchHistory();
    const input = history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
    const saved = (JSON.parse(Buffer.from(input ?? '').toString()) as WatchRunInput & { saved: SavedWatch }).saved;
    const bytes = Buffer.byteLength(JSON.stringify(saved));
    expect(bytes).toBeLessThan(1_500_000);
    expect(saved.windows.evicted).toBe(0);

    for (const index of [0, 7_777, 19_999]) {
      await report(event(index, 'second'));
      expect(await judged(`second-${index}`)).toEqual(['r/tell dedup']);
    }
  },
);
