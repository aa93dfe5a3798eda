import { expect, test } from 'vitest';
import { EVENT_NAME } from '#contract/event.js';
import { KNOWN_EVENTS } from '#rules/known-events.js';

test('the known events are the 27 of the rule format, each once', () => {
  expect(new Set(KNOWN_EVENTS).size).toBe(27);
  expect(KNOWN_EVENTS).toHaveLength(27);
});

test('every known event is one the door takes', () => {
  expect(KNOWN_EVENTS.filter((name) => !EVENT_NAME.test(name))).toEqual([]);
});
