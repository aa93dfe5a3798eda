import { describe, expect, test } from 'vitest';
import { createInbox, type EventItem, pausedAtFront } from '#workflows/watch/inbox.js';
import { byteLength } from '#workflows/watch/byte-length.js';

describe('the inbox', () => {
  test('keeps events in order of arrival, until they are dropped', () => {
    const inbox = createInbox([]);
    inbox.addEvents(['a', 'b'], undefined);
    inbox.addEvents(['c'], undefined);

    const peeked = [inbox.peek(10, Infinity), inbox.peek(10, Infinity)];
    inbox.drop(2);

    expect(peeked.map((items) => items.map((item) => item.kind === 'event' && item.event))).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
    expect(inbox.items()).toEqual([{ kind: 'event', event: 'c' }]);
    expect(inbox.size()).toBe(1);
  });

  test('knows whether something waits that was reported during a pause', () => {
    const inbox = createInbox([{ kind: 'rearm' }]);
    inbox.addEvents(['a'], { sinceAt: 1 });
    inbox.addEvents(['b'], undefined);

    expect(inbox.hasPaused()).toBe(true);
    inbox.drop(2);
    expect(inbox.hasPaused()).toBe(false);
  });

  test('keeps of an event that is too large to be handed on only what tells whose verdict it is', () => {
    const inbox = createInbox([]);

    inbox.addEvents([{ id: 'e-1', payload: { text: 'x'.repeat(1_000_000) } }], undefined);

    expect(inbox.items()).toEqual([{ kind: 'event', event: { id: 'e-1', unreadable: 'larger than 1000000 bytes' } }]);
    expect(inbox.bytes()).toBeLessThan(200);
  });

  test('goes on from what the run before left', () => {
    const inbox = createInbox([{ kind: 'event', event: 'a' }]);

    inbox.addEvents(['b'], undefined);

    expect(inbox.size()).toBe(2);
  });

  test.each([
    [1, ['a']],
    [2, ['a', 'b']],
    [3, ['a', 'b', 'c']],
    [9, ['a', 'b', 'c']],
  ])('shows at most %d events', (max, shown) => {
    const inbox = createInbox([]);
    inbox.addEvents(['a', 'b', 'c'], undefined);

    expect(inbox.peek(max, Infinity).map((item) => item.kind === 'event' && item.event)).toEqual(shown);
  });

  test('lets a re-arm act between the events it was sent between', () => {
    const inbox = createInbox([]);
    inbox.addEvents(['a'], undefined);
    inbox.addRearm('rule');
    inbox.addRearm(undefined);
    inbox.addEvents(['b'], undefined);

    const handled: unknown[] = [];
    while (inbox.size() > 0) {
      const items = inbox.peek(10, Infinity);
      handled.push(items);
      inbox.drop(items.length);
    }

    expect(handled).toEqual([
      [{ kind: 'event', event: 'a' }],
      [{ kind: 'rearm', rule: 'rule' }],
      [{ kind: 'rearm' }],
      [{ kind: 'event', event: 'b' }],
    ]);
  });

  test('marks events that arrive during a pause, and no others', () => {
    const inbox = createInbox([]);
    inbox.addEvents(['before'], undefined);
    inbox.addEvents(['during'], { sinceAt: 5 });

    expect(inbox.items()).toEqual([
      { kind: 'event', event: 'before' },
      { kind: 'event', event: 'during', pause: { sinceAt: 5 } },
    ]);
  });

  test('pauses what waits when the kill switch is pressed, but not re-arms', () => {
    const inbox = createInbox([]);
    inbox.addEvents(['a'], undefined);
    inbox.addRearm(undefined);

    inbox.pauseAll({ sinceAt: 5, reason: 'stop' });

    expect(inbox.items()).toEqual([
      { kind: 'event', event: 'a', pause: { sinceAt: 5, reason: 'stop' } },
      { kind: 'rearm' },
    ]);
  });

  test('knows what its items would take in the state, through adding and dropping', () => {
    const inbox = createInbox([]);
    const expected = () => inbox.items().reduce((sum, item) => sum + byteLength(item), 0);

    inbox.addEvents([{ text: 'é'.repeat(100) }, { n: 1 }], undefined);
    const afterAdding = [inbox.bytes(), expected()];
    inbox.drop(1);
    inbox.addRearm('rule');
    const afterDropping = [inbox.bytes(), expected()];
    inbox.pauseAll({ sinceAt: 5, reason: 'stop' });
    inbox.addEvents(['x'], undefined);
    inbox.pauseAll({ sinceAt: 5, reason: 'a longer reason' });
    const afterPausing = [inbox.bytes(), expected()];
    inbox.drop(3);

    expect(afterPausing[0]).toBe(afterPausing[1]);
    expect(afterAdding[0]).toBe(afterAdding[1]);
    expect(afterDropping[0]).toBe(afterDropping[1]);
    expect(inbox.bytes()).toBe(0);
  });
});

describe('the paused events at the front', () => {
  const pause = { sinceAt: 5 };
  const paused: EventItem = { kind: 'event', event: 'paused', pause };
  const live: EventItem = { kind: 'event', event: 'live' };

  test.each<[string, EventItem[], number]>([
    ['all, when all are', [paused, paused], 2],
    ['those before the first that is not, so that as many can be dropped', [paused, live, paused], 1],
    ['none, when the first is not', [live, paused], 0],
  ])('are %s', (_what, items, count) => {
    expect(pausedAtFront(items)).toEqual(items.slice(0, count));
  });

  test('are all that are paused, whatever order signals come in', () => {
    const inbox = createInbox([]);
    inbox.addEvents(['a'], undefined);
    inbox.pauseAll(pause);
    inbox.addEvents(['b'], pause);
    inbox.addEvents(['c'], undefined);
    inbox.pauseAll(pause);
    inbox.addEvents(['d'], undefined);

    const items = inbox.peek(10, Infinity) as EventItem[];

    expect(pausedAtFront(items)).toEqual(items.filter((item) => item.pause));
    expect(pausedAtFront(items)).toHaveLength(3);
  });
});
