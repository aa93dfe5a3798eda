import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SlotBook, SlotRequest } from '#contract/slots.js';
import { acquire, granted, MAX_WAITING, release } from '#workflows/slot-book.js';

const EMPTY: SlotBook = { max: 0, held: [], waiting: [] };

function asked(key: string, overrides: Partial<SlotRequest> = {}): SlotRequest {
  return { key, holder: `remediation of ${key}`, run: 'run-1', max: 2, ...overrides };
}

/** After each of them has asked, in this order. */
function after(keys: string, max = 2, now = 1): SlotBook {
  return [...keys].reduce((book, key) => acquire(book, asked(key, { max }), now), EMPTY);
}

const keysOf = (all: readonly { key: string }[]) => all.map(({ key }) => key).join('');
/** Who has slots, then who waits. */
const shown = ({ held, waiting }: SlotBook) => `${keysOf(held)} ${keysOf(waiting)}`;

describe('a slot', () => {
  test('is there until so many are taken; then it is for the first in line', () => {
    expect(shown(after('abcd'))).toBe('ab cd');
    expect(shown(release(after('abcd'), { key: 'b' }, 2))).toBe('ac d');
  });

  test('asked for again keeps its place, and is that of the later run', () => {
    const again = acquire(acquire(after('xab', 1), asked('a', { max: 1, run: 'run-2' }), 9), asked('x', { max: 1 }), 9);

    expect(shown(again)).toBe('x ab');
    expect(again.waiting[0]).toEqual({ key: 'a', holder: 'remediation of a', run: 'run-2', sinceAt: 1 });
    expect(release(again, { key: 'a', run: 'run-1' }, 9)).toEqual(again);
    expect(shown(release(again, { key: 'a', run: 'run-2' }, 9))).toBe('x b');
  });

  test('is given back by hand whichever run has it', () => {
    expect(shown(release(after('ab'), { key: 'a' }, 2))).toBe('b ');
  });

  test('is taken from nobody when the limit sinks, and there for those in line when it is raised', () => {
    expect(shown(acquire(after('abc'), asked('d', { max: 1 }), 2))).toBe('ab cd');
    expect(shown(release(acquire(after('abc'), asked('d', { max: 1 }), 2), { key: 'a' }, 3))).toBe('b cd');
    expect(shown(acquire(after('abc', 1), asked('d', { max: 3 }), 2))).toBe('abc d');
  });
});

test('told is who has a slot now and had none before, and who asks again for the one that it has', () => {
  const before = after('abc');

  expect(keysOf(granted(EMPTY, after('a')))).toBe('a');
  expect(keysOf(granted(before, release(before, { key: 'a' }, 2)))).toBe('c');
  expect(keysOf(granted(before, release(before, { key: 'c' }, 2)))).toBe('');
  expect(keysOf(granted(before, acquire(before, asked('d'), 2)))).toBe('');
  expect(keysOf(granted(before, acquire(before, asked('a'), 2)))).toBe('a');
});

test('the line is no longer than it may be', () => {
  const many = Array.from({ length: MAX_WAITING + 1 }, (_, index) => asked(`k-${index}`, { max: 1 }));
  const full = many.reduce((book, one) => acquire(book, one, 1), after('x', 1));

  expect(full.waiting).toHaveLength(MAX_WAITING);
  expect(full.waiting.at(-1)?.key).toBe(`k-${MAX_WAITING - 1}`);
});

test('whatever happens, no more are held than may be, none is free while somebody waits, and none stands twice', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const run = fc.constantFrom('run-1', 'run-2');
  const step = fc.oneof(fc.record({ asks: key, run }), fc.record({ gives: key, run }), fc.record({ gives: key }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let book = EMPTY;
      for (const [now, one] of steps.entries()) {
        if ('asks' in one) book = acquire(book, asked(one.asks, { run: one.run }), now);
        else book = release(book, { key: one.gives, ...('run' in one && { run: one.run }) }, now);
        const { held, waiting } = book;
        expect(held.length).toBeLessThanOrEqual(2);
        if (waiting.length > 0) expect(held).toHaveLength(2);
        expect(new Set([...held, ...waiting].map((all) => all.key)).size).toBe(held.length + waiting.length);
        const times = waiting.map(({ sinceAt }) => sinceAt);
        expect(times).toEqual([...times].sort((a, b) => a - b));
      }
    }),
  );
});
