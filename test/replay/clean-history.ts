import { hostname } from 'node:os';

/** Takes out of a recorded history what belongs to the machine it was recorded on. Replay looks at none of it. */
export function cleanHistory(value: unknown, { folder }: { folder: string }): unknown {
  return clean(value);

  function clean(part: unknown, key?: string): unknown {
    if (key === 'stackTrace') return '';
    if (key === 'identity') return 'recorded';
    if (key === 'data' && typeof part === 'string') return cleanData(part);
    if (typeof part === 'string') return part.replaceAll(folder, '/state').replaceAll(hostname(), 'host');
    if (Array.isArray(part)) return part.map((item) => clean(item));
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, clean(inner, name)]));
  }

  function cleanData(base64: string): string {
    const text = Buffer.from(base64, 'base64').toString('utf8');
    return Buffer.from(text.replaceAll(folder, '/state').replaceAll(hostname(), 'host')).toString('base64');
  }
}
