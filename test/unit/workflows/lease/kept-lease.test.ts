import { expect, test } from 'vitest';
import { DAY_MS } from '#contract/actions/of-every-action.js';
import type { Lease } from '#contract/lease.js';
import { extendLease, isLeaseOf, leaseToReacquire, withRestorePoint } from '#workflows/lease/kept-lease.js';

function aLease(overrides: Partial<Lease> = {}): Lease {
  return {
    ...{ tenant: 'default', environment: 'env-1', ensure: 1, untilAt: 1_000, effectKey: 'a', targetHash: 'h' },
    ...overrides,
  };
}

test('lasts as long, and is as large, as the most that anybody asked for', () => {
  const lease = aLease({ ensure: 3, untilAt: 1_000 });

  expect(extendLease(lease, aLease({ ensure: 1, untilAt: 2_000, effectKey: 'b' }))).toEqual(
    aLease({ ensure: 3, untilAt: 2_000, effectKey: 'b' }),
  );
  expect(extendLease(lease, aLease({ ensure: 5, untilAt: 500, effectKey: 'b' }))).toEqual(
    aLease({ ensure: 5, untilAt: 1_000, effectKey: 'b' }),
  );
});

test.each<[string, Partial<Lease>, Partial<Lease>, Partial<Lease>]>([
  [
    'of the first request, when the second needed nothing',
    { restorePoint: { originalCount: 0, countsSetByMesh: [3] } },
    {},
    { restorePoint: { originalCount: 0, countsSetByMesh: [3] } },
  ],
  [
    'of the second, when the first needed nothing',
    {},
    { restorePoint: { originalCount: 3, countsSetByMesh: [5] } },
    { restorePoint: { originalCount: 3, countsSetByMesh: [5] } },
  ],
  [
    'of the first, when the second raised what it had raised',
    { restorePoint: { originalCount: 0, countsSetByMesh: [3] } },
    { restorePoint: { originalCount: 3, countsSetByMesh: [5] } },
    { restorePoint: { originalCount: 0, countsSetByMesh: [3, 5] } },
  ],
  [
    'of the second, when somebody else had set a number in between',
    { restorePoint: { originalCount: 0, countsSetByMesh: [3] } },
    { restorePoint: { originalCount: 1, countsSetByMesh: [3] } },
    { restorePoint: { originalCount: 1, countsSetByMesh: [3] } },
  ],
  [
    'of both, when the second raised it from the same number',
    { restorePoint: { originalCount: 0, countsSetByMesh: [3] } },
    { restorePoint: { originalCount: 0, countsSetByMesh: [5] } },
    { restorePoint: { originalCount: 0, countsSetByMesh: [3, 5] } },
  ],
])('the restore point is that %s', (_name, first, second, both) => {
  const extended = extendLease(aLease(first), aLease(second));

  expect(extended).toEqual(aLease(both));
  expect(extendLease(extended, aLease(second))).toEqual(extended);
});

test('what is about to be raised again has its number noted before, and keeps what others have asked for meanwhile', () => {
  const lease = leaseToReacquire(aLease({ ensure: 5, restorePoint: { originalCount: 0, countsSetByMesh: [3] } }));
  expect(lease.restorePoint?.countsSetByMesh).toEqual([3, 5]);

  const extended = extendLease(lease, aLease({ ensure: 7, restorePoint: { originalCount: 0, countsSetByMesh: [7] } }));

  expect(withRestorePoint(extended, { originalCount: 0, countsSetByMesh: [5] })).toMatchObject({
    restorePoint: { originalCount: 0, countsSetByMesh: [3, 5, 7] },
  });
  expect(withRestorePoint(extended, undefined)).toEqual(extended);
  expect(leaseToReacquire(aLease())).toEqual(aLease());
});

test('at another target it is another lease, kept as long: the restore point of the first says nothing about the second', () => {
  const restorePoint = { originalCount: 0, countsSetByMesh: [9] };
  const first = aLease({ targetHash: 'a', ensure: 9, untilAt: 3_000, restorePoint });
  const second = aLease({ targetHash: 'b', ensure: 2, restorePoint: { originalCount: 1, countsSetByMesh: [2] } });

  expect(extendLease(first, second)).toEqual({ ...second, untilAt: 3_000 });
  expect(extendLease(first, aLease({ targetHash: 'b' }))).not.toHaveProperty('restorePoint');
});

const NOW = 1_700_000_000_000;

test.each<Partial<Lease>>([
  {},
  { restorePoint: { originalCount: 0, countsSetByMesh: [] } },
  { restorePoint: { originalCount: 2, countsSetByMesh: [5, 7] } },
  { untilAt: NOW + DAY_MS },
])('%j is a lease that can be asked for', (asked) => {
  expect(isLeaseOf('env-1', aLease(asked), NOW)).toBe(true);
});

test.each<object>([
  { environment: 'env-2' },
  { tenant: 7 },
  { effectKey: undefined },
  { targetHash: {} },
  { ensure: 1.5 },
  { ensure: null },
  { untilAt: '2030-01-31' },
  { untilAt: -1 },
  { untilAt: NOW * 1_000_000 },
  { untilAt: NOW + 3 * DAY_MS },
  { restorePoint: 1 },
  { restorePoint: null },
  { restorePoint: { originalCount: 1 } },
  { restorePoint: { originalCount: '1', countsSetByMesh: [] } },
  { restorePoint: { originalCount: 1, countsSetByMesh: 5 } },
  { restorePoint: { originalCount: 1, countsSetByMesh: [5, 'x'] } },
])('%j is none', (asked) => {
  expect(isLeaseOf('env-1', { ...aLease(), ...asked }, NOW)).toBe(false);
});
