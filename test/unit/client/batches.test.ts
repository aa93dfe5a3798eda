import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_BATCH_BYTES, MAX_BATCH_EVENTS, splitIntoBatches } from '../../../client/batches.js';
import { anEvent } from '../../support/builders.js';

describe('splitIntoBatches', () => {
  test('makes nothing of nothing', () => {
    expect(splitIntoBatches([])).toEqual([]);
  });

  test.each([
    [1, [1]],
    [MAX_BATCH_EVENTS, [MAX_BATCH_EVENTS]],
    [MAX_BATCH_EVENTS + 1, [MAX_BATCH_EVENTS, 1]],
    [MAX_BATCH_EVENTS * 2 + 5, [MAX_BATCH_EVENTS, MAX_BATCH_EVENTS, 5]],
  ])('parts %d small events by their number', (count, sizes) => {
    const events = Array.from({ length: count }, (_, index) => anEvent({ id: `e-${index}` }));

    expect(splitIntoBatches(events).map(({ length }) => length)).toEqual(sizes);
  });

  test('parts large events by their size', () => {
    const large = anEvent({ payload: { blob: 'x'.repeat(MAX_BATCH_BYTES / 2 - 1_000) } });

    expect(splitIntoBatches([large, large, large]).map(({ length }) => length)).toEqual([2, 1]);
  });

  test('gives an event that is too large for any batch one of its own', () => {
    const huge = anEvent({ payload: { blob: 'x'.repeat(MAX_BATCH_BYTES + 1) } });

    expect(splitIntoBatches([huge, anEvent(), huge, anEvent()]).map(({ length }) => length)).toEqual([1, 1, 1, 1]);
  });

  test('loses nothing, keeps the order and stays within both limits', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 200_000 }), { maxLength: 30 });
    fc.assert(
      fc.property(sizes, (chars) => {
        const events = chars.map((length, index) =>
          anEvent({ id: `e-${index}`, payload: { blob: 'é'.repeat(length) } }),
        );

        const batches = splitIntoBatches(events);

        expect(batches.flat().map(({ id }) => id)).toEqual(events.map(({ id }) => id));
        for (const batch of batches) {
          const bytes = batch.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)), 0);
          expect(batch.length > 0 && (batch.length === 1 || bytes <= MAX_BATCH_BYTES)).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });
});
