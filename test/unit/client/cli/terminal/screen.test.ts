import { describe, expect, test } from 'vitest';
import { PAINT, screenOf } from '#client/cli/terminal/screen.js';

const TERMINAL = { isTTY: true, columns: 100 };

describe('screenOf', () => {
  test('a terminal has a width and colours', () => {
    const { width, paint } = screenOf(TERMINAL, {});

    expect(width).toBe(100);
    expect(paint.red('x')).toBe('\u001b[31mx\u001b[39m');
  });

  test.each([
    ['NO_COLOR is set', { NO_COLOR: '1' }],
    ['the terminal can do nothing', { TERM: 'dumb' }],
  ])('no colours when %s', (_, env) => {
    const { width, paint } = screenOf(TERMINAL, env);

    expect(width).toBe(100);
    expect(paint.red('x')).toBe('x');
  });

  test('an empty NO_COLOR asks for nothing', () => {
    expect(screenOf(TERMINAL, { NO_COLOR: '' }).paint.red('x')).not.toBe('x');
  });

  test('a file or a pipe has neither, so that nothing is cut', () => {
    const { width, paint } = screenOf({ columns: 80 }, {});

    expect(width).toBeUndefined();
    expect(paint.red('x')).toBe('x');
  });
});

test('nothing is painted as nothing', () => {
  expect(PAINT.bold('')).toBe('');
});
