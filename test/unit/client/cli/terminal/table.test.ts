import { describe, expect, test } from 'vitest';
import { PAINT, PLAIN_SCREEN } from '../../../../../client/cli/terminal/screen.js';
import { type Cell, type Column, renderTable } from '../../../../../client/cli/terminal/table.js';
import { textWidth } from '../../../../../client/cli/terminal/text-width.js';

const COLUMNS: Column[] = [
  { title: 'NAME', min: 6 },
  { title: 'N', align: 'right' },
  { title: 'MORE', min: 5, dropFirst: 1 },
  { title: 'ID' },
];
const ROWS: Cell[][] = [
  ['a-rather-long-name', '7', 'something to say', 'id-1'],
  ['short', '12345', '', 'id-22'],
];

const at = (width: number) => renderTable(COLUMNS, ROWS, { ...PLAIN_SCREEN, width });

describe('renderTable', () => {
  test('cuts nothing where nobody looks, and ends no line with blanks', () => {
    expect(renderTable(COLUMNS, ROWS, PLAIN_SCREEN)).toBe(
      [
        'NAME                    N  MORE              ID',
        'a-rather-long-name      7  something to say  id-1',
        'short               12345                    id-22',
      ].join('\n'),
    );
  });

  test('takes from the widest columns first', () => {
    expect(at(40)).toBe(
      [
        'NAME              N  MORE          ID',
        'a-rather-lo…      7  something t…  id-1',
        'short         12345                id-22',
      ].join('\n'),
    );
  });

  test('leaves out a column before it cuts what must not be cut', () => {
    expect(at(26)).toBe(
      ['NAME              N  ID', 'a-rather-lo…      7  id-1', 'short         12345  id-22'].join('\n'),
    );
  });

  test('does not cut below what a column needs, even if the line is too long then', () => {
    expect(at(5)).toBe(['NAME        N  ID', 'a-rat…      7  id-1', 'short   12345  id-22'].join('\n'));
  });

  test.each([20, 21, 26, 30, 33, 40, 48, 49, 80])('fits %i columns', (width) => {
    for (const line of at(width).split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(width);
  });

  test('measures colours as nothing', () => {
    const rows: Cell[][] = [[{ text: 'red', paint: PAINT.red }, '1', '', 'x']];

    const table = renderTable(COLUMNS, rows, { width: 80, paint: PAINT });

    expect(table.split('\n')[1]).toBe('\u001b[31mred\u001b[39m   1        x');
  });

  test('measures wide characters as two', () => {
    expect(
      renderTable(
        [{ title: 'A' }, { title: 'B' }],
        [
          ['雪', 'x'],
          ['abcd', 'y'],
        ],
        PLAIN_SCREEN,
      ),
    ).toBe(['A     B', '雪    x', 'abcd  y'].join('\n'));
  });

  test('shows what would change the terminal as text', () => {
    expect(renderTable([{ title: 'A' }], [['\u001b]0;owned\u0007']], PLAIN_SCREEN)).toBe('A\n\\u001b]0;owned\\u0007');
  });
});
