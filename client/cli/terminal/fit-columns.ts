import type { Column } from './table.js';
import { textWidth } from './text-width.js';

type Measured = Column & { index: number; width: number };

/**
 * Leaves out what may be, then takes from the widest of those that people look for least, until the rest fits or nothing more
 * can go.
 */
export function fitColumns<T extends Measured>(columns: T[], available: number): T[] {
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
export const GAP = '  ';

export function totalWidth(widths: readonly number[]): number {
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
