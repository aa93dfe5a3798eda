import { expect, test } from 'vitest';
import { noteSuppressed, type SavedSuppression, suppressedIn } from '#rules/guards/suppressed.js';

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

test('keeps tool and first line of the error of the last that said either', () => {
  const said = { at: 1, payload: { tool_name: 'Bash', error: '\n exit code 1 \r\nand a long trace' } };

  expect(noteAll([{ at: 1, payload: { toolName: 'Edit' } }])?.last).toEqual({ tool: 'Edit' });
  expect(noteAll([{ at: 1, payload: { toolName: 'Edit' } }, said, { at: 2 }])?.last).toEqual({
    tool: 'Bash',
    error: 'exit code 1',
  });
});

test.each<[string, string, string | undefined]>([
  ['between words', `${'word '.repeat(39)}a-secret-that-is-cut`, `${'word '.repeat(39)}…`],
  ['whole when it has none', 'x'.repeat(201), undefined],
  ['not when it fits', 'x'.repeat(200), 'x'.repeat(200)],
])('a long error is cut %s', (_how, error, kept) => {
  expect(noteAll([{ at: 1, payload: { error } }])?.last?.error).toBe(kept);
});

function noteAll(events: ({ at: number } & Parameters<typeof noteSuppressed>[1])[]) {
  let noted: SavedSuppression | undefined;
  for (const { at, ...event } of events) noted = noteSuppressed(noted, event, at);
  return noted && suppressedIn(noted);
}
