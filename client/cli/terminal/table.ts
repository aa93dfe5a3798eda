import { visible } from '#contract/text/plain-text.js';
import type { Screen } from './screen.js';
import { cutToWidth, GRAPHEMES, textWidth } from './text-width.js';

export interface Column {
  title: string;
  align?: 'right';
  /** May be cut down to so many characters where the terminal is narrow. Absent: never cut. */
  min?: number;
  /** Left out before anything that is never cut would not fit, or what is kept would have little room; the highest goes first. */
  dropFirst?: number;
  /** What people look for: gives up width only when no column of a lower number has any left to give. Absent: 0. */
  keep?: number;
  /** Goes on below itself, for so many lines at most, before any of it is cut. */
  maxLines?: number;
}

/** `short`: what to show instead where not everything fits. */
export type Cell = string | { text: string; short?: string; paint?: (text: string) => string };

/** A table that fits the screen. What cells hold comes from anywhere, so it is made harmless here. */
export function renderTable(columns: Column[], rows: Cell[][], { width, paint }: Screen): string {
  const whole = measure(columns, rows, ({ text }) => text);
  const fits = width === undefined || totalWidth(whole.map(({ width }) => width)) <= width;
  const shown = fits ? whole : fitColumns(measure(columns, rows, shortest), width);
  const head = shown.map(({ title }) => ({ lines: [title], paint: paint.dim }));
  const body = rows.map((_, row) =>
    shown.map(({ cells, width, maxLines = 1 }) => {
      const { text, paint } = cells[row] ?? NOTHING;
      return { lines: wrapToWidth(text, width, maxLines), paint };
    }),
  );
  return [head, ...body].flatMap((row) => layOut(row, shown)).join('\n');
}

type Painted = Required<Pick<Exclude<Cell, string>, 'text' | 'paint'>>;
type Measured = Column & { index: number; width: number; cells: Painted[] };

const NOTHING: Painted = { text: '', paint: (text) => text };

function shortest({ text, short = text }: Exclude<Cell, string>): string {
  return short;
}

function measure(columns: Column[], rows: Cell[][], textOf: (cell: Exclude<Cell, string>) => string): Measured[] {
  return columns.map((column, index) => {
    const cells = rows.map((row): Painted => {
      const cell = row[index] ?? '';
      const whole = typeof cell === 'string' ? { text: cell } : cell;
      return { ...NOTHING, ...whole, text: visible(textOf(whole)) };
    });
    const width = Math.max(...[column.title, ...cells.map(({ text }) => text)].map(textWidth));
    return { ...column, index, cells, width };
  });
}

/** Painted after it was cut and measured: colours are characters too. */
function layOut(row: (Pick<Painted, 'paint'> & { lines: string[] })[], columns: Measured[]): string[] {
  const height = Math.max(1, ...row.map(({ lines }) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    row
      .map(({ lines, paint }, place) => {
        const text = lines[line] ?? '';
        const { width = 0, align } = columns[place] ?? {};
        const padding = ' '.repeat(Math.max(0, width - textWidth(text)));
        return align === 'right' ? padding + paint(text) : paint(text) + padding;
      })
      .join(GAP)
      .trimEnd(),
  );
}

/**
 * Leaves out what may be, then takes from the widest of those that people look for least, until the rest fits or nothing more
 * can go.
 */
function fitColumns<T extends Measured>(columns: T[], available: number): T[] {
  let shown = columns;
  const droppable = columns.filter(({ dropFirst }) => dropFirst !== undefined);
  for (const { index } of droppable.sort((a, b) => (b.dropFirst ?? 0) - (a.dropFirst ?? 0))) {
    if (totalWidth(shown.map(wanted)) <= available) break;
    shown = shown.filter((column) => column.index !== index);
  }
  const widths = new Map(shown.map((column) => [column.index, column.width]));
  const widthOf = ({ index }: Measured) => widths.get(index) ?? 0;
  while (totalWidth([...widths.values()]) > available) {
    const cuttable = shown.filter((column) => widthOf(column) > narrowest(column));
    const [first] = cuttable.sort((a, b) => (a.keep ?? 0) - (b.keep ?? 0) || widthOf(b) - widthOf(a));
    if (!first) break;
    widths.set(first.index, widthOf(first) - 1);
  }
  return shown.map((column) => ({ ...column, width: widthOf(column) }));
}

/** Between two columns. */
const GAP = '  ';

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
}

/** Enough to tell most names of rules apart: no column that may be left out is worth less of what people look for. */
const ROOM_FOR_KEPT = 24;

function wanted(column: Measured): number {
  const least = narrowest(column);
  return column.keep === undefined ? least : Math.max(least, Math.min(column.width, ROOM_FOR_KEPT));
}

function narrowest({ min, width, title }: Measured): number {
  return min === undefined ? width : Math.min(width, Math.max(min, textWidth(title)));
}

/**
 * The text in lines of so many columns, `maxLines` at most; what does not fit is cut, with a mark. It breaks after commas and
 * semicolons, at other blanks where that is not enough, and within a word that is longer than a line.
 */
export function wrapToWidth(text: string, width: number, maxLines: number): string[] {
  if (maxLines < 2 || textWidth(text) <= width) return [cutToWidth(text, width)];
  const lines = text.split(/(?<=[,;]) /).reduce<string[]>((before, part) => {
    const joined = join(before, part, width);
    if (joined) return joined;
    if (textWidth(part) <= width) return [...before, part];
    const words = part.split(' ').flatMap((word) => piecesOf(word, width));
    return words.reduce((done, word) => join(done, word, width) ?? [...done, word], before);
  }, []);
  const last = lines.slice(maxLines - 1).join(' ');
  return [...lines.slice(0, maxLines - 1), last].filter((line) => line !== '').map((line) => cutToWidth(line, width));
}

function piecesOf(word: string, width: number): string[] {
  if (textWidth(word) <= width) return [word];
  const pieces = [''];
  for (const { segment } of GRAPHEMES.segment(word)) {
    if (textWidth(`${pieces.at(-1)}${segment}`) > width) pieces.push('');
    pieces.push(`${pieces.pop()}${segment}`);
  }
  return pieces;
}

/** The lines with one more text on the last of them, if there is room. */
function join(lines: string[], text: string, width: number): string[] | undefined {
  const last = lines.at(-1);
  if (last === undefined) return undefined;
  const joined = `${last} ${text}`;
  return textWidth(joined) <= width ? [...lines.slice(0, -1), joined] : undefined;
}
