import { numbered, outsideMarks, REDACTED } from './redacted.js';
import { isSecret, NAME, secretKeys, type SecretKind } from './secret-keys.js';
import { isHeadersKey, secretItems } from './secret-lists.js';
import { pairHider } from './secret-pairs.js';
import { hideShapes } from './secret-shapes.js';

/** What is secret in payloads, beyond what every mesh knows to be. */
export interface RedactOptions {
  /** Keys whose values are secrets: compared without regard to case, `-` and `_`. */
  keys?: readonly string[];
  /** Texts that are secrets wherever they stand. */
  patterns?: readonly RegExp[];
}

export { REDACTED } from './redacted.js';

/** Hides secrets. What it has been over once, it does not change a second time. */
export interface Redactor {
  /**
   * A copy without secrets of what JSON can hold; the same value when there is none. At most some hundred levels deep.
   * `text` is what to do with the texts in it; nothing but hiding, if it is not given.
   */
  value(value: unknown, text?: (text: string) => string): unknown;
  text(text: string): string;
  /** Hides only secrets that are known by their own look. Names and ids have no key beside them. */
  shapes(text: string): string;
}

/**
 * Knows secrets by the key they stand under, by their own look, and by what stands before them in a text; `options` names
 * more of them. Pure, and free of anything slow to load: every hook call passes here.
 */
export function createRedactor({ keys = [], patterns = [] }: RedactOptions = {}): Redactor {
  const secrets = secretKeys(keys);
  const { kindOf } = secrets;
  const hidePairs = pairHider(secrets);
  const own = patterns.map(everywhere);

  function once(written: string): string {
    // Shapes first: a private key has several lines, and a value beside a key ends with its own.
    return own.reduce(hideOwn, hidePairs(hideShapes(written)));
  }

  const text = (written: string): string => settled(written, once);
  const shapes = (written: string): string => settled(written, hideShapes);

  function value(given: unknown, change = text, isHeaders = false): unknown {
    if (typeof given === 'string') return change(given);
    if (Array.isArray(given)) return list(given, change, isHeaders);
    return typeof given === 'object' && given !== null ? object(given, change) : given;
  }

  function list(given: unknown[], change: typeof text, isHeaders: boolean): unknown[] {
    const isHidden = secretItems(given, secrets, isHeaders);
    const items: unknown[] = given.map((item, index) => (isHidden(index) ? REDACTED : value(item, change)));
    return items.some((item, index) => item !== given[index]) ? items : given;
  }

  function object(given: object, change: typeof text): object {
    const entries: [string, unknown][] = Object.entries(given);
    const names = distinctNames(entries.map(([key]) => ({ key, name: nameOf(key) })));
    const named = kindOfNamed(entries);
    const hidden = entries.map(([key, inner], index): [string, unknown] => {
      const name = names[index] ?? key;
      const kind = kindOf(key) ?? kindOf(name) ?? (/^value$/i.test(key) ? named : undefined);
      const isHeaders = isHeadersKey(key) || isHeadersKey(name);
      return [name, isSecret(kind, inner) ? REDACTED : value(inner, change, isHeaders)];
    });
    const isSame = entries.every(([key, inner], index) => hidden[index]?.[0] === key && hidden[index][1] === inner);
    // Entries, not assignment: a key named __proto__ must stay a key.
    return isSame ? given : Object.fromEntries(hidden);
  }

  function nameOf(key: string): string {
    return key.length > MAX_KEY_CHARS ? REDACTED : text(key);
  }

  /** A variable as Kubernetes and others write it: `{name: 'DB_PASSWORD', value: …}`. */
  function kindOfNamed(entries: [string, unknown][]): SecretKind | undefined {
    const kinds = entries.map(([key, name]) => (NAME.test(key) && typeof name === 'string' ? kindOf(name) : undefined));
    return kinds.find((kind) => kind !== undefined);
  }

  return { value: (given, change) => value(given, change), text, shapes };
}

/** A longer key is no name. Keys are not cut as texts are, and must not be slow either. */
const MAX_KEY_CHARS = 8 * 1024;

/** Hides until there is nothing more to hide. */
function settled(written: string, hide: (text: string) => string): string {
  let before = written;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const after = hide(before);
    if (after === before) return after;
    before = after;
  }
  return REDACTED;
}

/** Hiding one secret can uncover the next. A text that still shows secrets after so many rounds is hidden whole. */
const MAX_ROUNDS = 6;

function everywhere(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, [...new Set(`${pattern.flags.replace('y', '')}g`)].join(''));
}

function hideOwn(text: string, pattern: RegExp): string {
  // A pattern that matches the empty text matches everywhere, so it says nothing.
  return outsideMarks(text, (piece) => piece.replace(pattern, (found) => (found === '' ? '' : REDACTED)));
}

/** Keys that were secrets all become the same; a number in the mark keeps what stands under them apart. */
function distinctNames(keys: { key: string; name: string }[]): string[] {
  if (keys.every(({ key, name }) => key === name)) return keys.map(({ key }) => key);
  const taken = new Set(keys.flatMap(({ key, name }) => (key === name ? [key] : [])));
  const counts = new Map<string, number>();
  return keys.map(({ key, name }) => {
    if (key === name) return key;
    let free = name;
    let count = counts.get(name) ?? 1;
    while (taken.has(free)) free = numbered(name, ++count);
    counts.set(name, count);
    taken.add(free);
    return free;
  });
}
