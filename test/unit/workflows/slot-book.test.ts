import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SlotRequest } from '#contract/slots.js';
import {
  FORGOTTEN_AFTER_MS,
  MAX_WAITING,
  newlyKept,
  overdue,
  type SlotBook,
  acquire,
  release,
  expire,
} from '#workflows/slot-book.js';

const EMPTY: SlotBook = { held: [], kept: [], waiting: [], keptForMs: 100 };

/** `a` began before `b`, and so on. */
function asked(key: string, overrides: Partial<SlotRequest> = {}): SlotRequest {
  const holder = `remediation of ${key}`;
  return { key, claim: `${key} 1`, holder, run: 'run-1', startedAt: key.charCodeAt(0), max: 2, ...overrides };
}

/** After each of them has asked, in this order. */
function after(keys: string, max = 2, now = 1): SlotBook {
  return [...keys].reduce((book, key) => acquire(book, asked(key, { max }), now), EMPTY);
}

const keysOf = (all: readonly { key: string }[]) => all.map(({ key }) => key).join('');
/** Who has slots and for whom they are kept, then who waits. */
const shown = ({ held, kept, waiting }: SlotBook) => `${keysOf([...held, ...kept])} ${keysOf(waiting)}`;

describe('a slot', () => {
  test('is there until so many are taken', () => {
    expect(shown(after('ab'))).toBe('ab ');
    expect(shown(after('abc'))).toBe('ab c');
    expect(shown(acquire(after('ab'), asked('c', { max: 3 }), 2))).toBe('abc ');
  });

  test('is there for who has one, also when the limit has sunk meanwhile', () => {
    expect(shown(acquire(after('ab'), asked('b', { max: 1 }), 2))).toBe('ab ');
    expect(shown(acquire(after('ab'), asked('c', { max: 1 }), 2))).toBe('ab c');
  });

  test('taken again is the same one, and the newer attempt may give it back', () => {
    const again = acquire(after('ab'), asked('a', { claim: 'a 2', run: 'run-2' }), 9);

    expect(again.held).toHaveLength(2);
    expect(again.held).toContainEqual({
      key: 'a',
      claim: 'a 2',
      holder: 'remediation of a',
      run: 'run-2',
      sinceAt: 1,
    });
    expect(release(again, { key: 'a', claim: 'a 1' }, 9)).toEqual(again);
    expect(shown(release(again, { key: 'a', claim: 'a 2' }, 9))).toBe('b ');
  });

  test('is given back by a remediation whichever attempt has it', () => {
    expect(shown(release(after('ab'), { key: 'a' }, 2))).toBe('b ');
  });
});

describe('a slot that is free', () => {
  test('is kept for the oldest in line, and not for whoever asks first', () => {
    const book = release(after('xca', 1), { key: 'x' }, 5);

    expect(book).toMatchObject({ held: [], kept: [{ ...asked('a', { max: 1 }), askedAt: 1, keptUntilAt: 105 }] });
    expect(shown(acquire(book, asked('b', { max: 1 }), 6))).toBe('a bc');
    const taken = acquire(book, asked('a', { claim: 'a 2', max: 1 }), 7);
    expect(taken.held).toEqual([{ key: 'a', claim: 'a 2', holder: 'remediation of a', run: 'run-1', sinceAt: 7 }]);
    expect(keysOf(taken.waiting)).toBe('c');
  });

  test('is for nobody whose limit has sunk since it was kept', () => {
    const book = release(after('xyab'), { key: 'x' }, 5);
    expect(shown(book)).toBe('ya b');

    expect(shown(acquire(book, asked('a', { max: 1 }), 6))).toBe('yb a');
  });

  test('is for the next when nobody has come for it in time; who comes late is the first again', () => {
    const book = release(after('xab', 1), { key: 'x' }, 5);
    expect(overdue(book, 104)).toEqual([]);

    const next = expire(book, overdue(book, 105), 105);

    expect(shown(next)).toBe('b ');
    expect(shown(acquire(acquire(next, asked('b', { max: 1 }), 106), asked('a', { max: 1 }), 107))).toBe('b a');
  });

  test('that was taken meanwhile is not taken away', () => {
    const book = release(after('xa', 1), { key: 'x' }, 5);
    const taken = acquire(book, asked('a', { max: 1 }), 6);

    expect(expire(taken, book.kept, 7)).toEqual(taken);
    expect(overdue(taken, 1_000)).toEqual([]);
  });

  test('is for none that has left the line, by its last claim', () => {
    const book = acquire(after('xab', 1), asked('a', { claim: 'a 2', max: 1 }), 2);

    expect(release(book, { key: 'a', claim: 'a 1' }, 3)).toEqual(book);
    const left = release(book, { key: 'a', claim: 'a 2' }, 3);
    expect(shown(left)).toBe('x b');
    expect(shown(release(left, { key: 'x' }, 4))).toBe('b ');
  });

  test('is for none that has not asked for long: it is dead', () => {
    const book = acquire(after('xab', 1), asked('b', { max: 1 }), 2);

    expect(shown(release(book, { key: 'x' }, FORGOTTEN_AFTER_MS))).toBe('a b');
    expect(shown(release(book, { key: 'x' }, FORGOTTEN_AFTER_MS + 1))).toBe('b ');
  });

  test('is not held up by the first in line whose own limit leaves no room', () => {
    const book = acquire(acquire(after('xyz', 3), asked('b', { max: 3 }), 2), asked('a', { max: 2 }), 2);

    expect(shown(release(book, { key: 'z' }, 3))).toBe('xyb a');
  });

  test('is for those in line when the limit was raised, not for the one that brings word of it', () => {
    const book = acquire(after('xabc', 1), asked('d', { max: 3 }), 2);

    expect(shown(book)).toBe('xab cd');
    expect(newlyKept(after('xabc', 1), book).map(({ key }) => key)).toEqual(['a', 'b']);
  });

  test('is for an older one that comes too late for its turn, and not kept for a younger one', () => {
    const book = release(after('xab', 1), { key: 'x' }, 5);
    const next = expire(book, overdue(book, 105), 105);
    expect(shown(next)).toBe('b ');

    const late = acquire(next, asked('a', { claim: 'a 2', max: 1 }), 106);

    expect(shown(late)).toBe('a b');
    expect(late.held).toEqual([{ key: 'a', claim: 'a 2', holder: 'remediation of a', run: 'run-1', sinceAt: 106 }]);
    expect(late.waiting).toEqual([{ ...asked('b', { max: 1 }), askedAt: 1 }]);
    expect(shown(acquire(late, asked('b', { max: 1 }), 107))).toBe('a b');
  });

  test('is kept for a younger one still where there are more than may be', () => {
    const book = release(after('xyzc', 3), { key: 'z' }, 5);
    expect(shown(book)).toBe('xyc ');

    expect(shown(acquire(book, asked('a', { max: 2 }), 6))).toBe('xyc a');
  });
});

test('the line is no longer than it may be', () => {
  const many = Array.from({ length: MAX_WAITING + 1 }, (_, index) => asked(`k-${index}`, { startedAt: index, max: 1 }));
  const full = many.reduce((book, one) => acquire(book, one, 1), after('x', 1));

  expect(full.waiting).toHaveLength(MAX_WAITING);
  expect(full.waiting.at(-1)?.key).toBe(`k-${MAX_WAITING - 1}`);
});

test('whatever happens, no more are held than may be, none is free while somebody waits, and none stands twice', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const step = fc.oneof(
    fc.record({ asks: key, attempt: fc.integer({ min: 1, max: 2 }) }),
    fc.record({ gives: key }),
    fc.record({ isOver: fc.constant(true) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let book = EMPTY;
      for (const [now, one] of steps.entries()) {
        if ('asks' in one) book = acquire(book, asked(one.asks, { claim: `${one.attempt}` }), now);
        else if ('gives' in one) book = release(book, { key: one.gives }, now);
        else book = expire(book, overdue(book, now + 1_000), now);
        const { kept, waiting } = book;
        const held = [...book.held, ...kept];
        expect(held.length).toBeLessThanOrEqual(2);
        if (waiting.length > 0) expect(held).toHaveLength(2);
        expect(new Set([...held, ...waiting].map((all) => all.key)).size).toBe(held.length + waiting.length);
        expect(keysOf(waiting)).toBe([...keysOf(waiting)].sort().join(''));
      }
    }),
  );
});
