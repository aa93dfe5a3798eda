/**
 * Follows a dot path through objects and arrays (`items.1.id`, `items.length`). Empty segments are ignored, a path without
 * any leads nowhere, and nothing inherited is ever read.
 */
export function readPath(value: unknown, path: string): unknown {
  const segments = path.split('.').filter((segment) => segment !== '');
  if (segments.length === 0) return undefined;
  let inner = value;
  for (const segment of segments) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, segment)) return undefined;
    inner = (inner as Record<string, unknown>)[segment];
  }
  return inner;
}
