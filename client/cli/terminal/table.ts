import { visible } from '../../../contract/plain-text.js';
import type { Screen } from './screen.js';
import { cutToWidth, textWidth } from './text-width.js';

export interface Column {
  title: string;
  align?: 'right';
  /** May be cut down to so many characters where the terminal is narrow. Absent: never cut. */
  min?: number;
  /** Left out before anything that is never cut would not fit; the highest goes first. */
  dropFirst?: number;
}

export type Cell = string | { text: string; paint: (text: string) => string };

/** A table that fits the screen. What cells hold comes from anywhere, so it is made harmless here. */
export function renderTable(columns: Column[], rows: Cell[][], { width, paint }: Screen): string {
  const all = columns.map((column, index) => {
    const cells = rows.map((row) => plain(row[index] ?? ''));
    return {
      ...column,
      index,
      cells,
      width: Math.max(...[column.title, ...cells.map(({ text }) => text)].map(textWidth)),
    };
  });
  const shown = fit(all, width);
  const line = (cellOf: (column: (typeof shown)[number]) => Painted) =>
    shown
      .map((column, place) => layOut(cellOf(column), column, place === shown.length - 1))
      .join(GAP)
      .trimEnd();
  const head = line(({ title }) => ({ text: title, paint: paint.dim }));
  return [head, ...rows.map((_, row) => line(({ cells }) => cells[row] ?? NOTHING))].join('\n');
}

const GAP = '  ';
const NOTHING: Painted = { text: '', paint: (text) => text };

type Painted = Exclude<Cell, string>;
type Measured = Column & { index: number; width: number };

function plain(cell: Cell): Painted {
  return typeof cell === 'string'
    ? { text: visible(cell), paint: NOTHING.paint }
    : { ...cell, text: visible(cell.text) };
}

/** Leaves out what may be, then takes from the widest that may be cut, until the rest fits or nothing more can go. */
function fit<T extends Measured>(columns: T[], available: number | undefined): T[] {
  if (available === undefined) return columns;
  let shown = columns;
  const droppable = columns.filter(({ dropFirst }) => dropFirst !== undefined);
  for (const { index } of droppable.sort((a, b) => (b.dropFirst ?? 0) - (a.dropFirst ?? 0))) {
    if (total(shown.map(narrowest)) <= available) break;
    shown = shown.filter((column) => column.index !== index);
  }
  const widths = new Map(shown.map((column) => [column.index, column.width]));
  for (;;) {
    if (total([...widths.values()]) <= available) break;
    const widest = shown
      .filter((column) => (widths.get(column.index) ?? 0) > narrowest(column))
      .sort((a, b) => (widths.get(b.index) ?? 0) - (widths.get(a.index) ?? 0))[0];
    if (!widest) break;
    widths.set(widest.index, (widths.get(widest.index) ?? 0) - 1);
  }
  return shown.map((column) => ({ ...column, width: widths.get(column.index) ?? column.width }));
}

function narrowest({ min, width, title }: Measured): number {
  return min === undefined ? width : Math.min(width, Math.max(min, textWidth(title)));
}

function total(widths: number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
}

/** Painted after it was cut and measured: colours are characters too. */
function layOut({ text, paint }: Painted, { width, align }: Measured, isLast: boolean): string {
  const cut = cutToWidth(text, width);
  const padding = ' '.repeat(Math.max(0, width - textWidth(cut)));
  if (align === 'right') return padding + paint(cut);
  return isLast ? paint(cut) : paint(cut) + padding;
}
