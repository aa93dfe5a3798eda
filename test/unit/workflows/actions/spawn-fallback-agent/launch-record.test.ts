import { expect, test } from 'vitest';
import { lastWordsOf } from '#workflows/actions/spawn-fallback-agent/launch-record.js';

test('what an agent said at the end is kept, and nothing of one that said nothing', () => {
  expect(lastWordsOf({ outputTail: ' I tried.\nout of credit\n' })).toEqual({ lastWords: 'I tried.\nout of credit' });
  expect(lastWordsOf({ outputTail: ' \n' })).toEqual({});
  expect(lastWordsOf({})).toEqual({});
});

test('of much only the end is kept, and no half word', () => {
  const { lastWords = '' } = lastWordsOf({ outputTail: `${'one two '.repeat(100)}out of credit` });

  expect(lastWords).toMatch(/^…(one|two) .* out of credit$/);
  expect(lastWords.length).toBeLessThanOrEqual(301);
  expect(lastWordsOf({ outputTail: 'x'.repeat(900) }).lastWords).toBe(`…${'x'.repeat(300)}`);
});
