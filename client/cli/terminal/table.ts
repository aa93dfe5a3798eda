import { visible } from '#contract/text/plain-text.js';
import { fitColumns, GAP, totalWidth } from './fit-columns.js';
import type { Screen } from './screen.js';
import { textWidth } from './text-width.js';
import { wrapToWidth } from './wrap-to-width.js';

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
