import { setTimeout as wait } from 'node:timers/promises';
import type { MeshEvent } from '#contract/event.js';
import { NotStoredError, type NotStoredReason } from './errors.js';

export interface LaneOptions {
  /** Stores one batch of one tenant. It must give up at the deadline. */
  send(tenant: string, batch: readonly MeshEvent[], deadlineAt: number, gapAhead: boolean): Promise<void>;
  reasonOf(error: unknown): NotStoredReason;
  giveUpAfterMs: number;
}

export interface Lanes {
  /** Resolves when every event is stored; else rejects with a `NotStoredError` that names those that are not known to be. */
  put(events: readonly MeshEvent[]): Promise<void>;
  waiting(): { events: number; bytes: number };
  /** Takes no more. Resolves when nothing waits; no batch that begins after this is tried for long. */
  close(): Promise<void>;
}

export const MAX_BATCH_EVENTS = 200;
export const MAX_BATCH_BYTES = 512 * 1024;
/** Shorter, and signals keep slipping in while the watch continues as new: each time it starts over, and stalls. */
const BATCH_GAP_MS = 40;
/** Under load the watch is told now and then that nothing follows for a while: then nothing slips in when it starts anew. */
const LONG_GAP_EVERY_BATCHES = 60;
const LONG_GAP_MS = 100;
/** A lane without an event for so long is forgotten, and with it how many batches it has sent. */
const LANE_KEPT_MS = 60_000;
const CLOSE_WITHIN_MS = 4_000;
/** More than this is not kept in memory: who reports must slow down. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/**
 * A lane per tenant, with one batch in flight: a storm of signals would keep the watch from ever continuing as new. What is
 * reported while a batch is on its way goes with the next one.
 */
export function createLanes(options: LaneOptions): Lanes {
  const lanes = new Map<string, Lane>();
  const total = { events: 0, bytes: 0 };
  let closesAt = Infinity;

  return {
    async put(events) {
      const report = createReport(events);
      const bytes = events.map((event) => Buffer.byteLength(JSON.stringify(event)));
      const sum = bytes.reduce((all, one) => all + one, 0);
      if (closesAt < Infinity) throw report.notStored('closed');
      if (total.bytes + sum > MAX_WAITING_BYTES) throw report.notStored('too-many-waiting');
      const enqueuedAt = Date.now();
      events.forEach((event, index) => add({ event, index, bytes: bytes[index] ?? 0, enqueuedAt, report }));
      await report.done;
    },
    waiting: () => ({ ...total }),
    async close() {
      closesAt = Date.now() + CLOSE_WITHIN_MS;
      await Promise.all([...lanes.values()].flatMap(({ running }) => running ?? []));
    },
  };

  function add(entry: Entry): void {
    const { tenant } = entry.event;
    const lane = lanes.get(tenant) ?? { queue: [], sentAt: -Infinity, batches: 0, progressAt: 0, running: undefined };
    lanes.set(tenant, lane);
    lane.queue.push(entry);
    total.events += 1;
    total.bytes += entry.bytes;
    // After this turn of the event loop, so that all events of a report are in the queue when its first batch is cut.
    lane.running ??= Promise.resolve().then(() => run(tenant, lane));
  }

  async function run(tenant: string, lane: Lane): Promise<void> {
    while (lane.queue.length > 0) {
      await breathe(lane);
      const batch = takeBatch(lane.queue);
      lane.batches += 1;
      const deadlineAt = deadlineOf(lane, batch);
      try {
        await options.send(
          tenant,
          batch.map(({ event }) => event),
          deadlineAt,
          hasLongGapAhead(lane),
        );
        lane.progressAt = Date.now();
        for (const { index, report } of batch) report.stored(index);
      } catch (error) {
        const found = options.reasonOf(error);
        // It would have been tried for longer.
        const reason = found === 'unreachable' && deadlineAt === closesAt ? 'closed' : found;
        for (const { report } of batch) report.failed(reason, error);
      }
      total.events -= batch.length;
      total.bytes -= batch.reduce((sum, { bytes }) => sum + bytes, 0);
    }
    lane.running = undefined;
    clearTimeout(lane.forgetting);
    lane.forgetting = setTimeout(() => {
      if (lane.running === undefined) lanes.delete(tenant);
    }, LANE_KEPT_MS).unref();
  }

  /** Some time after the last thing that went well, so that a queue of reports fails together and not one by one. */
  function deadlineOf(lane: Lane, batch: Entry[]): number {
    return Math.min(Math.max(batch[0]?.enqueuedAt ?? 0, lane.progressAt) + options.giveUpAfterMs, closesAt);
  }

  /** The first batch goes at once; under load there is a gap before the next, in which the watch can continue as new. */
  async function breathe(lane: Lane): Promise<void> {
    const gapMs = hasLongGapAhead(lane) ? LONG_GAP_MS : BATCH_GAP_MS;
    const waitMs = lane.sentAt + gapMs - performance.now();
    if (waitMs > 0) await wait(waitMs);
    lane.sentAt = performance.now();
  }
}

function hasLongGapAhead({ batches }: Lane): boolean {
  return batches > 0 && batches % LONG_GAP_EVERY_BATCHES === 0;
}

interface Lane {
  queue: Entry[];
  sentAt: number;
  /** How many have been sent. */
  batches: number;
  progressAt: number;
  running: Promise<void> | undefined;
  forgetting?: NodeJS.Timeout;
}

interface Entry {
  event: MeshEvent;
  /** Which of its report it is. */
  index: number;
  bytes: number;
  enqueuedAt: number;
  report: Report;
}

function takeBatch(queue: Entry[]): Entry[] {
  let bytes = 0;
  let count = 0;
  for (const entry of queue) {
    bytes += entry.bytes;
    // At least one, however large.
    if (count > 0 && (count === MAX_BATCH_EVENTS || bytes > MAX_BATCH_BYTES)) break;
    count += 1;
  }
  return queue.splice(0, count);
}

interface Report {
  done: Promise<void>;
  stored(index: number): void;
  failed(reason: NotStoredReason, cause: unknown): void;
  notStored(reason: NotStoredReason, cause?: unknown): NotStoredError;
}

/** What has become of the events of one call, which may travel in several batches and lanes. */
function createReport(events: readonly MeshEvent[]): Report {
  const isStored = events.map(() => false);
  let left = events.length;
  let failure: { reason: NotStoredReason; cause: unknown } | undefined;
  let settle: () => void = () => undefined;
  const done = new Promise<void>((resolve, reject) => {
    settle = () => {
      if (left > 0) return;
      if (failure) reject(notStored(failure.reason, failure.cause));
      else resolve();
    };
  });
  settle();
  return {
    done,
    notStored,
    stored(index) {
      isStored[index] = true;
      left -= 1;
      settle();
    },
    failed(reason, cause) {
      failure ??= { reason, cause };
      left -= 1;
      settle();
    },
  };

  function notStored(reason: NotStoredReason, cause?: unknown): NotStoredError {
    const ids = (stored: boolean) => events.filter((_, index) => isStored[index] === stored).map(({ id }) => id);
    return new NotStoredError(reason, ids(false), ids(true), cause === undefined ? undefined : { cause });
  }
}
