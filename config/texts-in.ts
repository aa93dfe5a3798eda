export interface WrittenText {
  path: readonly PropertyKey[];
  written: string;
}

/** Every text in a part of a configuration, and where it stands. */
export function textsIn(part: unknown, path: readonly PropertyKey[]): WrittenText[] {
  if (typeof part === 'string') return [{ path, written: part }];
  if (Array.isArray(part)) return part.flatMap((one, index) => textsIn(one, [...path, index]));
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => textsIn(value, [...path, key]));
}
