import { expect, test } from 'vitest';
import { extendLease, type Lease } from '../../../contract/lease.js';

function aLease(overrides: Partial<Lease> = {}): Lease {
  return { tenant: 'default', environment: 'env-1', ensure: 1, untilAt: 1_000, effectKey: 'a', ...overrides };
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
    { before: 0, raisedTo: [3] },
    {},
    { before: 0, raisedTo: [3] },
  ],
  ['of the second, when the first needed nothing', {}, { before: 3, raisedTo: [5] }, { before: 3, raisedTo: [5] }],
  [
    'of the first, when the second raised what it had raised',
    { before: 0, raisedTo: [3] },
    { before: 3, raisedTo: [5] },
    { before: 0, raisedTo: [3, 5] },
  ],
  [
    'of the second, when somebody else had set a number in between',
    { before: 0, raisedTo: [3] },
    { before: 1, raisedTo: [3] },
    { before: 1, raisedTo: [3] },
  ],
])('the way back is that %s', (_name, first, second, both) => {
  const extended = extendLease(aLease(first), aLease(second));

  expect(extended).toEqual(aLease(both));
  expect(extendLease(extended, aLease(second))).toEqual(extended);
});
