import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { code, codeBlock, utc } from '#contract/text/markdown.js';

describe('code', () => {
  test.each([
    ['a plain name', 'retry', '`retry`'],
    ['backticks', 'a`b``c', '`aˋbˋˋc`'],
    ['the bar that parts table cells', 'a|b', '`a¦b`'],
    ['markup', '<img src=x onerror=y>', '`<img src=x onerror=y>`'],
    ['a line break', 'a\nb', '`a\\u000ab`'],
    ['text that would run from right to left', 'a\u202eb', '`a\\u202eb`'],
    ['an invisible blank', 'a\u200bb', '`a\\u200bb`'],
    ['nothing', '', '` `'],
  ])('shows %s as text', (_, text, shown) => {
    expect(code(text)).toBe(shown);
  });

  test('is one span on one line, whatever the text', () => {
    fc.assert(
      fc.property(hostileTexts, (text) => {
        const shown = code(text);

        expect(shown.slice(1, -1)).not.toMatch(/[`\p{Cc}\p{Cf}\u2028\u2029]/u);
        expect([shown.at(0), shown.at(-1)]).toEqual(['`', '`']);
        expect(shown.length).toBeGreaterThan(2);
      }),
    );
  });
});

describe('codeBlock', () => {
  test('keeps lines as lines', () => {
    expect(codeBlock('one\r\ntwo\rthree\nfour', 100)).toBe('```text\none\ntwo\nthree\nfour\n```');
  });

  test('has a fence longer than any run of backticks in the text', () => {
    expect(codeBlock('a\n````\n# not a heading', 100)).toBe('`````text\na\n````\n# not a heading\n`````');
  });

  test('cuts a long text short, and says so', () => {
    expect(codeBlock('abcdef', 3)).toBe('```text\nab…\n```');
  });

  test('does not cut a text of just the allowed length', () => {
    expect(codeBlock('abc', 3)).toBe('```text\nabc\n```');
  });

  test('is ended by its last line only, whatever the text', () => {
    fc.assert(
      fc.property(hostileTexts, fc.nat({ max: 50 }), (text, maxChars) => {
        const lines = codeBlock(text, maxChars).split('\n');

        const fence = lines[0]?.replace(/text$/, '') ?? '';
        expect(fence).toMatch(/^`{3,}$/);
        expect(lines.slice(1).findIndex((line) => line.trim().startsWith(fence))).toBe(lines.length - 2);
        expect(lines.slice(1, -1).join('')).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
      }),
    );
  });
});

describe('utc', () => {
  test('is readable and says which time zone', () => {
    expect(utc(Date.UTC(2026, 0, 2, 3, 4, 5, 678))).toBe('2026-01-02 03:04:05 UTC');
  });

  // It is called in handlers of signals, which anyone can send: an error there would stop the workflow.
  test.each([-9e15, 9e15, NaN, Infinity])('has an answer for %d, which is no time', (at) => {
    expect(utc(at)).toBe('?');
  });
});

const hostileTexts = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '`',
        '``',
        '````',
        '\n',
        '\r\n',
        '\r',
        '|',
        '~~~',
        '\u2028',
        '\u202e',
        '\u200b',
        '\0',
        '\t',
        '</code>',
        '\\`',
        '🔥',
        '\ud83d',
      ),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));
