import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { visible, visibleLines } from '#contract/text/plain-text.js';

describe('visible', () => {
  test.each([
    ['a plain text', 'Bash: é 雪 ☃', 'Bash: é 雪 ☃'],
    ['a line break', 'a\nb', 'a\\u000ab'],
    ['a command to the terminal', '\u001b[2Jgone', '\\u001b[2Jgone'],
    ['one of a single character', '\u009b2J', '\\u009b2J'],
    ['text that would run from right to left', 'a\u202eb', 'a\\u202eb'],
    ['an invisible blank', 'a\u200bb', 'a\\u200bb'],
    ['an invisible letter of a tag, and the digit behind it', 'a\u{e0041}1', 'a\\u{e0041}1'],
    ['letters that look like nothing', 'a\u3164\u115f\u1160\u034f\uffa0b', 'a\\u3164\\u115f\\u1160\\u034f\\uffa0b'],
  ])('shows %s for what it is', (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test('leaves nothing that a terminal obeys', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(visible(text)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029\u034f\u115f\u1160\u3164\uffa0]/u);
      }),
    );
  });
});

test('visibleLines shows a tab as the blanks it stands for: it hides nothing', () => {
  expect(visibleLines('main.go:7\n\tat foo.go:12')).toEqual(['main.go:7', '    at foo.go:12']);
});

test('visibleLines keeps lines as lines, however they end', () => {
  expect(visibleLines('one\r\ntwo\rthree\nfour\u001b')).toEqual(['one', 'two', 'three', 'four\\u001b']);
});
