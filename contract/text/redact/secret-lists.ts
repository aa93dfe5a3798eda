import { isOption } from './harmless-values.js';
import { isSecret, type SecretKeys } from './secret-keys.js';
import { PRIVATE_KEY, PRIVATE_KEY_END } from './secret-shapes.js';

/** Which items of a list are secrets because of the items around them. */
export function secretItems(
  list: readonly unknown[],
  { kindOf }: SecretKeys,
  isHeaders: boolean,
): (index: number) => boolean {
  const ofPrivateKeys = privateKeyItems(list);
  const isPairs = holdsPairs(list, isHeaders);
  return (index) => {
    const before = list[index - 1];
    const item = list[index];
    if (ofPrivateKeys.has(index)) return true;
    if (typeof before !== 'string') return false;
    // An argument list: `["--password", "…"]`.
    if (FLAG.test(before) && typeof item === 'string') return !isOption(item) && isSecret(kindOf(before), item);
    return isPairs && index % 2 === 1 && isSecret(kindOf(before), item);
  };
}

const FLAG = /^--?[A-Za-z][\w-]*$/;

/** `["cookie", "…"]`, and the headers of a Node request: name, value, name, value. */
function holdsPairs(list: readonly unknown[], isHeaders: boolean): boolean {
  if (list.length !== 2 && !(isHeaders && list.length % 2 === 0)) return false;
  return list.every((item, index) => index % 2 === 1 || (typeof item === 'string' && KEY.test(item)));
}

/** The key must be one word, since a line of prose may end with `password` too. */
const KEY = /^[A-Za-z_][\w.-]*$/;

/** Lists under such a key may name and value headers in turn; those that a server allows are names only. */
export function isHeadersKey(key: string): boolean {
  return /headers$/i.test(key) && !/allow|expose/i.test(key);
}

/** The lines of private keys, from BEGIN to END; one that was cut ends with the list. */
function privateKeyItems(list: readonly unknown[]): Set<number> {
  const found = new Set<number>();
  const lastEnd = list.findLastIndex(closesPrivateKey);
  let index = 0;
  while (index < list.length) {
    const end = opensPrivateKey(list[index]) ? endOfPrivateKey(list, index, lastEnd) : index;
    for (let line = index; line <= end && end > index; line++) found.add(line);
    // The line of an END may open the next one.
    index = Math.max(index + 1, end);
  }
  return found;
}

function opensPrivateKey(item: unknown): boolean {
  if (typeof item !== 'string') return false;
  const begin = [...item.matchAll(PRIVATE_KEY)].at(-1)?.index ?? -1;
  return begin > item.lastIndexOf(PRIVATE_KEY_END);
}

function closesPrivateKey(item: unknown): boolean {
  return typeof item === 'string' && item.includes(PRIVATE_KEY_END);
}

function endOfPrivateKey(list: readonly unknown[], begin: number, lastEnd: number): number {
  if (begin >= lastEnd) return isLineOfKey(list[begin + 1]) ? list.length - 1 : begin;
  let end = begin + 1;
  while (end < lastEnd && !closesPrivateKey(list[end])) end++;
  return end;
}

/** Base64, or what stands above it: `Proc-Type: 4,ENCRYPTED` and an empty line. Code that names a BEGIN goes on otherwise. */
function isLineOfKey(item: unknown): boolean {
  return typeof item === 'string' && /[A-Za-z0-9+/=]{32}|^\s*$|^[A-Z][\w-]*: /.test(item);
}
