import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NotStoredError } from '#client/errors.js';
import { createLanes, MAX_BATCH_BYTES, MAX_BATCH_EVENTS } from '#client/lanes.js';
import type { MeshEvent } from '#contract/event.js';
import { anEvent } from '../../support/builders.js';

interface Sent {
  tenant: string;
  ids: string[];
  bytes: number;
  at: number;
  deadlineAt: number;
  gapAhead: boolean;
  begunAt: number;
}

/** Lanes whose batches end up in a list, after `send` has had its way with them. */
function recordingLanes(send: (batch: readonly MeshEvent[]) => Promise<void> = () => Promise.resolve()) {
  const sent: Sent[] = [];
  const inFlight = new Map<string, number>();
  let mostInFlight = 0;
  const lanes = createLanes({
    giveUpAfterMs: 1_000,
    reasonOf: () => 'unreachable',
    async send(tenant, batch, deadlineAt, gapAhead) {
      const begunAt = performance.now();
      const now = (inFlight.get(tenant) ?? 0) + 1;
      inFlight.set(tenant, now);
      mostInFlight = Math.max(mostInFlight, now);
      try {
        await send(batch);
      } finally {
        inFlight.set(tenant, now - 1);
      }
      const bytes = batch.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)), 0);
      sent.push({
        tenant,
        ids: batch.map(({ id }) => id),
        bytes,
        at: performance.now(),
        deadlineAt,
        gapAhead,
        begunAt,
      });
    },
  });
  return { lanes, sent, mostInFlight: () => mostInFlight };
}

const events = (count: number, overrides: Partial<MeshEvent> = {}) =>
  Array.from({ length: count }, (_, index) => anEvent({ id: `e-${index}`, ...overrides }));

describe('lanes', () => {
  test('an event of an idle tenant goes at once', async () => {
    const { lanes, sent } = recordingLanes();
    // Timers ring in the order of their times, however late they do.
    const later = wait(38, 'later');
    expect(await Promise.race([lanes.put(events(1)).then(() => 'at once'), later])).toBe('at once');
    expect(sent.map(({ ids }) => ids)).toEqual([['e-0']]);
  });

  test('what is reported while a batch is on its way goes with the next one, 40 ms after the first', async () => {
    const { lanes, sent } = recordingLanes(() => wait(5));
    const begunAt = performance.now();
    const first = lanes.put([anEvent({ id: 'first' })]);
    await wait(1);
    await Promise.all([first, ...events(50).map((event) => lanes.put([event]))]);
    expect(sent.map(({ ids }) => ids.length)).toEqual([1, 50]);
    // From beginning to beginning, and from before the first: a busy machine may pause between that and its `send`.
    expect((sent[1]?.begunAt ?? 0) - begunAt).toBeGreaterThanOrEqual(38);
  });

  test('a report travels in order, in batches of at most 200 events', async () => {
    const { lanes, sent, mostInFlight } = recordingLanes();
    await lanes.put(events(450));
    expect(sent.map(({ ids }) => ids.length)).toEqual([MAX_BATCH_EVENTS, MAX_BATCH_EVENTS, 50]);
    expect(sent.flatMap(({ ids }) => ids)).toEqual(events(450).map(({ id }) => id));
    expect(mostInFlight()).toBe(1);
  });

  test('large events travel in batches of at most 512 KiB, but never in none', async () => {
    const { lanes, sent } = recordingLanes();
    await lanes.put(events(6, { payload: { text: 'x'.repeat(200 * 1024) } }));
    expect(sent.map(({ ids }) => ids.length)).toEqual([2, 2, 2]);
    expect(Math.max(...sent.map(({ bytes }) => bytes))).toBeLessThanOrEqual(MAX_BATCH_BYTES);

    await lanes.put(events(1, { payload: { text: 'x'.repeat(MAX_BATCH_BYTES) } }));
    expect(sent.at(-1)?.ids).toEqual(['e-0']);
  });

  test('after every 60th batch there is a longer gap, and that batch says so', async () => {
    const { lanes, sent } = recordingLanes();
    // One to a batch.
    await lanes.put(events(62, { payload: { text: 'x'.repeat(MAX_BATCH_BYTES) } }));
    expect(sent.flatMap(({ gapAhead }, index) => (gapAhead ? [index] : []))).toEqual([59]);
    // From before the 60th began: see above.
    expect((sent[60]?.begunAt ?? 0) - (sent[58]?.at ?? 0)).toBeGreaterThanOrEqual(98);
  });

  test('the 60th batch says so also when there is one now and then', async () => {
    const { lanes, sent } = recordingLanes();
    for (let index = 0; index < 60; index++) {
      await lanes.put([anEvent({ id: `e-${index}` })]);
      await wait(45);
    }
    expect(sent.map(({ gapAhead }) => gapAhead).lastIndexOf(true)).toBe(59);
  });

  test('tenants do not wait for each other', async () => {
    let release = () => {};
    const stuck = new Promise<void>((resolve) => (release = resolve));
    const { lanes, sent } = recordingLanes((batch) => (batch[0]?.tenant === 'slow' ? stuck : Promise.resolve()));
    const slow = lanes.put(events(1, { tenant: 'slow' }));
    await lanes.put(events(1, { tenant: 'quick' }));
    expect(sent.map(({ tenant }) => tenant)).toEqual(['quick']);
    release();
    await slow;
  });

  test('an error names what is stored and what is not, and does not touch other reports', async () => {
    const broken = new Error('no route');
    const { lanes } = recordingLanes((batch) =>
      batch.some(({ id }) => id === 'e-250') ? Promise.reject(broken) : Promise.resolve(),
    );
    const failed = lanes.put(events(300)).catch((error: unknown) => error);
    await lanes.put([anEvent({ id: 'other', tenant: 'other' })]);

    const error = await failed;
    expect(error).toBeInstanceOf(NotStoredError);
    expect(error).toMatchObject({ code: 'not-stored', reason: 'unreachable', cause: broken });
    const { ids, storedIds, message } = error as NotStoredError;
    expect(storedIds).toEqual(
      events(300)
        .slice(0, 200)
        .map(({ id }) => id),
    );
    expect(ids).toEqual(
      events(300)
        .slice(200)
        .map(({ id }) => id),
    );
    expect(message).toBe('100 of 300 events not stored (unreachable): no route');
    await lanes.put([anEvent({ id: 'later' })]);
  });

  test('the time to give up counts from the last thing that went well', async () => {
    const { lanes, sent } = recordingLanes();
    const begun = Date.now();
    await lanes.put(events(201));
    const [first, second] = sent;
    expect(first?.deadlineAt).toBeGreaterThanOrEqual(begun + 1_000);
    expect(second?.deadlineAt).toBeGreaterThanOrEqual(first?.deadlineAt ?? Infinity);
  });

  test('counts what waits, and takes no more than fits into 64 MiB', async () => {
    let release = () => {};
    const stuck = new Promise<void>((resolve) => (release = resolve));
    const { lanes } = recordingLanes(() => stuck);
    const large = events(60, { payload: { text: 'x'.repeat(1024 * 1024) } });
    const first = lanes.put(large);
    expect(lanes.waiting().events).toBe(60);
    expect(lanes.waiting().bytes).toBeGreaterThan(60 * 1024 * 1024);
    await expect(lanes.put(large.slice(0, 10))).rejects.toMatchObject({ reason: 'too-many-waiting' });
    release();
    await first;
    expect(lanes.waiting()).toEqual({ events: 0, bytes: 0 });
  });

  test('closing lets what waits be stored and takes no more', async () => {
    const { lanes, sent } = recordingLanes(() => wait(20));
    const before = lanes.put(events(250));
    const closed = lanes.close();
    await expect(lanes.put(events(1))).rejects.toMatchObject({ reason: 'closed', ids: ['e-0'] });
    await Promise.all([before, closed]);
    expect(sent.flatMap(({ ids }) => ids)).toHaveLength(250);
  });

  test('whatever is reported by whom and when, each event goes once and in order of its reporter', async () => {
    const reports = fc.array(
      fc.record({
        tenant: fc.constantFrom('a', 'b'),
        count: fc.integer({ min: 0, max: 230 }),
        waitMs: fc.constantFrom(0, 0, 1, 45),
      }),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(reports, async (given) => {
        const { lanes, sent, mostInFlight } = recordingLanes(() => wait(1));
        const all: Promise<void>[] = [];
        for (const [number, { tenant, count, waitMs }] of given.entries()) {
          all.push(lanes.put(events(count).map((event) => ({ ...event, tenant, id: `${number}-${event.id}` }))));
          await wait(waitMs);
        }
        await Promise.all(all);
        for (const tenant of ['a', 'b']) {
          const expected = given.flatMap((report, number) =>
            report.tenant === tenant ? events(report.count).map(({ id }) => `${number}-${id}`) : [],
          );
          expect(sent.filter((batch) => batch.tenant === tenant).flatMap(({ ids }) => ids)).toEqual(expected);
        }
        expect(mostInFlight()).toBeLessThanOrEqual(1);
      }),
      { numRuns: 25 },
    );
  });
});
