import { expect, test } from 'vitest';
import type { SavedSuppression } from '../../../../contract/watch.js';
import { noteSuppressed, suppressedIn } from '../../../../rules/guards/suppressed.js';

test('counts events, and remembers the first and the last', () => {
  const noted = noteAll([{ at: 5 }, { at: 7 }, { at: 9 }]);

  expect(noted).toEqual({ events: 3, firstAt: 5, lastAt: 9, sessions: [], moreSessions: 0 });
});

test('notes ten sessions by name, and counts further ones once each', () => {
  const sessions = ['s1', 's1', ...Array.from({ length: 11 }, (_, index) => `s${index + 2}`), 's11', 's12', 's3'];

  const noted = noteAll(sessions.map((session) => ({ at: 1, session })));

  expect(noted).toEqual({
    events: 16,
    firstAt: 1,
    lastAt: 1,
    sessions: Array.from({ length: 10 }, (_, index) => `s${index + 1}`),
    moreSessions: 2,
  });
});

test('stops telling sessions apart at a hundred', () => {
  const noted = noteAll(Array.from({ length: 300 }, (_, index) => ({ at: 1, session: `s${index}` })));

  expect(noted).toMatchObject({ events: 300, moreSessions: 90 });
});

function noteAll(events: { at: number; session?: string }[]) {
  let noted: SavedSuppression | undefined;
  for (const { at, session } of events) noted = noteSuppressed(noted, { session }, at);
  return noted && suppressedIn(noted);
}
