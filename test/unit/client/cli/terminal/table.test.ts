import { describe, expect, test } from 'vitest';
import { PAINT, PLAIN_SCREEN } from '#client/cli/terminal/screen.js';
import { type Cell, type Column, renderTable } from '#client/cli/terminal/table.js';
import { textWidth } from '#client/cli/terminal/text-width.js';

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

  test('takes last from what people look for', () => {
    const columns: Column[] = [{ title: 'RULE', min: 4, keep: 1 }, { title: 'OTHER', min: 6 }, { title: 'ID' }];
    const atWidth = (width: number) =>
      renderTable(columns, [['a-rather-long-rule', 'something', 'id']], { ...PLAIN_SCREEN, width }).split('\n')[1];

    expect(atWidth(30)).toBe('a-rather-long-rule  somet…  id');
    expect(atWidth(25)).toBe('a-rather-lon…  somet…  id');
  });

  test('leaves out a column before what people look for has little room', () => {
    const columns: Column[] = [{ title: 'RULE', min: 4, keep: 1 }, { title: 'OTHER', dropFirst: 1 }, { title: 'ID' }];
    const head = (rule: string) =>
      renderTable(columns, [[rule, 'x'.repeat(10), 'id']], { ...PLAIN_SCREEN, width: 30 }).split('\n')[0];

    expect(head('short')).toContain('OTHER');
    expect(head('a-rather-long-rule')).not.toContain('OTHER');
  });

  test('shows the short form of what has one where not everything fits', () => {
    const rows: Cell[][] = [[{ text: '3 min ago (03:09:09 UTC)', short: '3 min ago' }, 'x'.repeat(20)]];
    const row = (width?: number) =>
      renderTable([{ title: 'AT' }, { title: 'B' }], rows, { ...PLAIN_SCREEN, width }).split('\n')[1];

    expect(row()).toBe(`3 min ago (03:09:09 UTC)  ${'x'.repeat(20)}`);
    expect(row(46)).toBe(row());
    expect(row(45)).toBe(`3 min ago  ${'x'.repeat(20)}`);
  });

  test('goes on below, in the colour of the cell, before it cuts', () => {
    const columns: Column[] = [{ title: 'ID' }, { title: 'WHY', min: 8, maxLines: 3 }];
    const rows: Cell[][] = [
      ['e-1', { text: 'retry: fire; tell-all: cooldown; trial: shadow', paint: PAINT.red }],
      ['e-2', 'no-match'],
    ];

    expect(renderTable(columns, rows, { ...PLAIN_SCREEN, width: 22 }).split('\n')).toEqual([
      'ID   WHY',
      'e-1  \u001b[31mretry: fire;\u001b[39m',
      '     \u001b[31mtell-all:\u001b[39m',
      '     \u001b[31mcooldown; trial:…\u001b[39m',
      'e-2  no-match',
    ]);
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
