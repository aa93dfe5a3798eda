import { dirname } from 'node:path';
import { ARROWS, roomOf, type SourceFile } from './import-graph.js';

export interface Layout {
  rooms: RoomSize[];
  edges: { from: string; to: string; count: number; types: number }[];
  /** Imports that no arrow allows. */
  backEdges: string[];
  valueCycles: string[][];
  /** Of values and types together. */
  allCycles: string[][];
}

export interface RoomSize {
  room: string;
  files: number;
  lines: number;
  median: number;
  p90: number;
  max: number;
}

export function layoutOf(files: SourceFile[]): Layout {
  const rooms = Object.keys(ARROWS);
  return {
    rooms: [
      ...rooms.map((room) =>
        sizeOf(
          room,
          files.filter(({ path }) => roomOf(path) === room),
        ),
      ),
      sizeOf('all', files),
    ],
    edges: rooms.flatMap((from) => rooms.filter((to) => to !== from).flatMap((to) => edgeOf(files, from, to))),
    backEdges: files.flatMap(({ path, imports }) =>
      imports.filter((target) => !isAllowed(path, target.path)).map((target) => `${path} -> ${target.path}`),
    ),
    valueCycles: cyclesOf(files, false),
    allCycles: cyclesOf(files, true),
  };
}

function sizeOf(room: string, files: SourceFile[]): RoomSize {
  const sizes = files.map(({ lines }) => lines).sort((a, b) => a - b);
  const at = (share: number) => sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * share))] ?? 0;
  return {
    room,
    files: files.length,
    lines: sizes.reduce((sum, lines) => sum + lines, 0),
    median: at(0.5),
    p90: at(0.9),
    max: sizes.at(-1) ?? 0,
  };
}

function edgeOf(files: SourceFile[], from: string, to: string): Layout['edges'] {
  const imports = files
    .filter(({ path }) => roomOf(path) === from)
    .flatMap((file) => file.imports.filter(({ path }) => roomOf(path) === to));
  if (imports.length === 0) return [];
  return [{ from, to, count: imports.length, types: imports.filter(({ isType }) => isType).length }];
}

function isAllowed(from: string, to: string): boolean {
  return [roomOf(from), ...(ARROWS[roomOf(from)] ?? [])].some((folder) => to.startsWith(`${folder}/`));
}

/** Groups of files, not all of one folder, that reach each other by imports. Tarjan's algorithm. */
function cyclesOf(files: SourceFile[], withTypes: boolean): string[][] {
  const targets = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.filter(({ isType }) => withTypes || !isType).map((target) => target.path),
    ]),
  );
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  for (const { path } of files) if (!order.has(path)) visit(path);
  return groups.filter((group) => new Set(group.map((path) => dirname(path))).size > 1).map((group) => group.sort());

  function visit(path: string): void {
    order.set(path, order.size);
    let low = order.get(path) ?? 0;
    stack.push(path);
    for (const target of targets.get(path) ?? []) {
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) low = Math.min(low, lowest.get(target) ?? order.get(target) ?? low);
    }
    lowest.set(path, low);
    if (low !== order.get(path)) return;
    const group = stack.splice(stack.indexOf(path));
    if (group.length > 1) groups.push(group);
  }
}
