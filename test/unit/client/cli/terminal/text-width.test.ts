import { describe, expect, test } from 'vitest';
import { cutToWidth, textWidth } from '#client/cli/terminal/text-width.js';

test.each([
  ['', 0],
  ['plain', 5],
  ['é', 1],
  ['e\u0301', 1],
  ['雪', 2],
  ['한글', 4],
  ['🔥', 2],
  ['👩🏽', 2],
  ['☃', 1],
  ['☃\ufe0f', 2],
])('%j takes %i columns', (text, width) => {
  expect(textWidth(text)).toBe(width);
});

describe('cutToWidth', () => {
  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['雪雪雪', 6, '雪雪雪'],
    ['雪雪雪', 5, '雪雪…'],
    ['雪雪雪', 4, '雪…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['abc', 1, '…'],
  ])('%j in %i columns is %j', (text, width, cut) => {
    expect(cutToWidth(text, width)).toBe(cut);
  });
});
