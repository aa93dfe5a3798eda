/** Numbers from 0 up to 1 that only look random: a failure comes again with the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface RandomBodies {
  /** Anything from noise to what is nearly right. */
  body(like: object): string | Buffer;
  /** A piece of an address or a header, encoded or not. */
  piece(): string;
  pick<T>(from: readonly T[]): T;
}

const KEYS = [
  ...['event', 'id', 'outcome', 'tenant', 'session', 'agent', 'depth', 'source', 'occurredAt', 'lineage', 'payload'],
  ...['root', 'parent', 'truncated', 'requestId', 'specversion', 'type', 'time', 'data', 'data_base64', 'reason'],
  ...['hook_event_name', 'session_id', 'tool_use_id', 'tool_name', 'tool_input', 'error', 'is_interrupt', 'password'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'length', 'then', 'toJSON', '', ' ', '\u0000', 'ключ', '😀'],
];

const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -0, 1, -1, 1.5, 1e308, 5e-324, 2 ** 53, '', ' ', '\u0000', '\ud800', '\u202e', '😀'],
  ...['failed', 'success', 'TaskCompleted', 'PostToolUseFailure', '1.0', 'default', 'rival', '../..', '%2e%2e', '${x}'],
  ...['2026-01-01T00:00:00Z', '2026-99-99', '12345', 'Bearer abcdefghijklmnopqrstuvwxyz', 'a'.repeat(300), [], {}],
];

const PIECES = [
  '%',
  '%00',
  '%zz',
  '%2F',
  '..',
  '%2e%2e',
  'ü',
  '%C3%BC',
  '%ED%A0%80',
  'a b',
  "'",
  '"',
  '\\',
  '*',
  ':rule',
  '{}',
];

export function randomBodies(seed: number): RandomBodies {
  const random = seeded(seed);
  const below = (count: number) => Math.floor(random() * count);
  const pick = <T>(from: readonly T[]) => from[below(from.length)] as T;

  return {
    pick,
    piece: () => Array.from({ length: 1 + below(4) }, () => (below(3) === 0 ? word() : pick(PIECES))).join(''),
    body(like) {
      switch (below(6)) {
        case 0:
          return Buffer.from(Array.from({ length: below(60) }, () => below(256)));
        case 1:
          return JSON.stringify(value(0));
        case 2:
          return misspelt(JSON.stringify(like));
        case 3:
          return JSON.stringify(Array.from({ length: below(4) }, () => changed(like)));
        case 4:
          return nested();
        default:
          return text(changed(like));
      }
    },
  };

  function word(): string {
    return Array.from({ length: 1 + below(8) }, () => String.fromCharCode(33 + below(94))).join('');
  }

  function value(depth: number): unknown {
    const kind = depth > 4 ? 0 : below(5);
    if (kind <= 1) return below(4) === 0 ? word() : pick(VALUES);
    if (kind === 2) return Array.from({ length: below(4) }, () => value(depth + 1));
    return Object.fromEntries(
      Array.from({ length: below(5) }, () => [below(4) === 0 ? word() : pick(KEYS), value(depth + 1)]),
    );
  }

  /** Right but for some fields. */
  function changed(like: object): unknown {
    const entries: [string, unknown][] = Object.entries(like).map(([key, inner]) => [
      key,
      below(6) === 0 ? value(2) : inner,
    ]);
    if (below(2) === 0) entries.push([pick(KEYS), value(1)]);
    return Object.fromEntries(entries);
  }

  /** As `JSON.stringify`, which leaves out no key; and sometimes says a key twice. */
  function text(from: unknown): string {
    const written = JSON.stringify(from);
    return below(5) === 0
      ? written.replace('{', `{${JSON.stringify(pick(KEYS))}:${JSON.stringify(pick(VALUES))},`)
      : written;
  }

  function misspelt(json: string): string {
    const at = below(json.length + 1);
    return (
      json.slice(0, at) + pick(['', ',', '}', '"', '\\', '\u0001', 'x', '[', '\u2028']) + json.slice(at + below(3))
    );
  }

  function nested(): string {
    const depth = below(200);
    const [open, close] = pick([
      ['[', ']'],
      ['{"payload":', '}'],
      ['{"event":"X","payload":{"a":', '}}'],
    ] as const);
    return `${open.repeat(depth)}1${close.repeat(depth)}`;
  }
}
