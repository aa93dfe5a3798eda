import type { MeshEvent } from '../contract/event.js';

export const MAX_BATCH_EVENTS = 200;
export const MAX_BATCH_BYTES = 512 * 1024;

/** Parts events, in order, into batches a signal may carry. */
export function splitIntoBatches(events: readonly MeshEvent[]): MeshEvent[][] {
  const batches: MeshEvent[][] = [];
  let batch: MeshEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(JSON.stringify(event));
    if (batch.length === MAX_BATCH_EVENTS || (batch.length > 0 && bytes + size > MAX_BATCH_BYTES)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(event);
    bytes += size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
