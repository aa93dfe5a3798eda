import { beforeEach, expect, test } from 'vitest';
import {
  createRoom,
  MAX_AT_RECEIVER,
  MAX_DELIVERIES,
  MAX_WITH_ONE_EACH,
  type Room,
} from '#activities/actions/notify-team/room.js';

let room: Room;

beforeEach(() => {
  room = createRoom();
});

const enter = (receiver: string, times = 1) => Array.from({ length: times }, () => room.enter(receiver)).at(-1);
const IN = { leave: expect.any(Function) as () => void };

test('a receiver has its share of the room, and who has left makes room', () => {
  const first = room.enter('a');
  expect(enter('a', MAX_AT_RECEIVER - 1)).toEqual(IN);
  expect(enter('a')).toEqual({ full: 'This worker has 30 attempts at the same receiver under way' });
  expect(enter('b')).toEqual(IN);

  if ('leave' in first) first.leave();

  expect(enter('a')).toEqual(IN);
  expect(enter('a')).toHaveProperty('full');
});

test('when receivers that hang have filled it, every other one still gets one at a time', () => {
  enter('a', MAX_AT_RECEIVER);
  enter('b', MAX_DELIVERIES - MAX_AT_RECEIVER);
  const first = room.enter('c');
  expect(first).toEqual(IN);
  expect(enter('c')).toEqual({ full: 'This worker has 61 attempts to deliver messages under way' });

  if ('leave' in first) first.leave();

  expect(enter('c')).toEqual(IN);
});

test('all of them together leave room for other actions', () => {
  const receivers = Array.from({ length: 100 }, (_, n) => `receiver ${n}`);

  const entered = receivers.flatMap((receiver) => [room.enter(receiver), room.enter(receiver)]);

  expect(entered.filter((place) => 'leave' in place)).toHaveLength(MAX_WITH_ONE_EACH);
});
