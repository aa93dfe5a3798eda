import { readFileSync } from 'node:fs';

export const ROOT = new URL('../../', import.meta.url).pathname;

export function readText(path: string): string {
  return readFileSync(new URL(path, `file://${ROOT}`), 'utf8');
}

/** The rows of the first table below a heading, as cells by column title. */
export function tableBelow(path: string, heading: string, place = 0): Record<string, string>[] {
  const [titles = [], , ...rows] = tablesBelow(path, heading)[place] ?? [];
  if (titles.length === 0) throw new Error(`${path}: no table below "${heading}"`);
  return rows.map((cells) => Object.fromEntries(titles.map((title, index) => [title, cells[index] ?? ''])));
}

/** What stands in backticks in a cell. */
export function codesIn(cell: string | undefined): string[] {
  return [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** What stands in backticks in a column, all rows together. */
export function codesBelow(path: string, heading: string, column: string, place = 0): string[] {
  return tableBelow(path, heading, place).flatMap((row) => codesIn(row[column]));
}

export function headingsOf(markdown: string): string[] {
  return [...withoutCode(markdown).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.trim());
}

/** Markdown without its fenced blocks. */
export function withoutCode(markdown: string): string {
  return markdown.replace(FENCED, '');
}

export function codeBlocksOf(markdown: string): string[] {
  return [...markdown.matchAll(FENCED)].map(([, , code = '']) => code);
}

/** Ends with as many backticks as it began with: a longer fence holds shorter ones. */
const FENCED = /^ *(`{3,})[^\n]*\n([\s\S]*?)^ *\1$/gm;

function tablesBelow(path: string, heading: string): string[][][] {
  const lines = withoutCode(readText(path)).split('\n');
  const start = lines.findIndex(
    (line) => /^#+ /.test(line) && line.replace(/^#+ /, '').replaceAll('`', '') === heading,
  );
  if (start < 0) throw new Error(`${path}: no heading "${heading}"`);
  const tables: string[][][] = [];
  let isInside = false;
  for (const line of lines.slice(start + 1)) {
    if (/^#+ /.test(line)) break;
    if (!line.startsWith('|')) {
      isInside = false;
      continue;
    }
    if (!isInside) tables.push([]);
    isInside = true;
    tables.at(-1)?.push(cellsOf(line));
  }
  return tables;
}

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}
