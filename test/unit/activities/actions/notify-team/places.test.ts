import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createPlaces,
  LINE_WAIT_MS,
  MAX_AT_RECEIVER,
  MAX_IN_LINE,
  type Place,
  type Places,
} from '#activities/actions/notify-team/places.js';

let places: Places;

beforeEach(() => {
  vi.useFakeTimers();
  places = createPlaces();
});

afterEach(() => {
  vi.useRealTimers();
});

const take = (receiver: string) => places.take(receiver, new AbortController().signal);
const takeAll = async (receiver: string): Promise<(Place | undefined)[]> =>
  Promise.all(Array.from({ length: MAX_AT_RECEIVER }, () => take(receiver)));
const IN = { leave: expect.any(Function) as () => void };

/** What has become of it so far. */
function followed(taking: Promise<Place | undefined>): { state: 'waits' | 'in' | 'busy' } {
  const known: { state: 'waits' | 'in' | 'busy' } = { state: 'waits' };
  void taking.then((place) => (known.state = place ? 'in' : 'busy'));
  return known;
}

test('a receiver that is full delays no other', async () => {
  await takeAll('a');
  const waiting = Array.from({ length: MAX_IN_LINE }, () => followed(take('a')));

  expect(await takeAll('b')).toEqual(Array.from({ length: MAX_AT_RECEIVER }, () => IN));
  expect(new Set(waiting.map(({ state }) => state))).toEqual(new Set(['waits']));
});

test('who leaves makes room for the first in line', async () => {
  const [first, second] = await takeAll('a');
  const waiting = [followed(take('a')), followed(take('a')), followed(take('a'))];

  first?.leave();
  await vi.advanceTimersByTimeAsync(0);
  expect(waiting.map(({ state }) => state)).toEqual(['in', 'waits', 'waits']);

  second?.leave();
  await vi.advanceTimersByTimeAsync(0);
  expect(waiting.map(({ state }) => state)).toEqual(['in', 'in', 'waits']);
});

test('who finds the line full is told at once, and who waits in it for too long', async () => {
  await takeAll('a');
  const waiting = Array.from({ length: MAX_IN_LINE }, () => followed(take('a')));

  expect(await take('a')).toBeUndefined();

  await vi.advanceTimersByTimeAsync(LINE_WAIT_MS - 1);
  expect(waiting.every(({ state }) => state === 'waits')).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(waiting.every(({ state }) => state === 'busy')).toBe(true);
});

describe('who has left the line', () => {
  test('is called no more, and the next one is', async () => {
    const [first] = await takeAll('a');
    const impatient = new AbortController();
    const gone = followed(places.take('a', impatient.signal));
    const next = followed(take('a'));

    impatient.abort();
    first?.leave();
    await vi.advanceTimersByTimeAsync(0);

    expect([gone.state, next.state]).toEqual(['busy', 'in']);
  });

  test('leaves nothing behind: all places can be had again', async () => {
    const held = await takeAll('a');
    const waiting = take('a');
    await vi.advanceTimersByTimeAsync(LINE_WAIT_MS);
    expect(await waiting).toBeUndefined();

    for (const place of held) place?.leave();

    expect(await takeAll('a')).toEqual(held.map(() => IN));
  });
});
