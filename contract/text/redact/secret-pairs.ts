import { REDACTED } from './redacted.js';
import { isSecret, NAME, type SecretKeys, type SecretKind } from './secret-keys.js';
import { findValue, type Place } from './secret-values.js';

/**
 * Hides the values that stand beside a secret key in a text: command lines, variables, headers, queries, configuration and
 * JSON inside a text. The text is gone over once, from key to key, so that none can make it slow.
 */
export function pairHider(keys: SecretKeys): (text: string) => string {
  const pairs = pairPattern(keys.written);
  return (text) => {
    let hidden = '';
    let from = 0;
    let named: Named | undefined;
    pairs.lastIndex = 0;
    for (let found = pairs.exec(text); found !== null; found = pairs.exec(text)) {
      const pair = pairOf(text, found);
      if (pair === undefined) continue;
      if (NAME.test(pair.key)) named = nameAt(text, pair, keys, named);
      const kind = keys.kindOf(pair.key) ?? kindBeside(text, pair, keys, named);
      if (kind === undefined || !mayHold(text, pair, kind)) continue;
      const value = findValue(text, pair);
      if (value === undefined || !isSecret(kind, value.value)) continue;
      hidden += text.slice(from, value.start) + REDACTED;
      from = pairs.lastIndex = value.end;
    }
    return hidden + text.slice(from);
  };
}

/** The end of a key, what may close its quotes, and what parts it from its value. */
function pairPattern(written: string): RegExp {
  const closing = String.raw`\\*["'\`]?\]?|\*\*`;
  const separator = String.raw`[ \t]*(?:=>|={1,3}|:=|:(?!:|\/\/|\\\/)\*{0,2})[ \t]*|>|[ \t]+`;
  return new RegExp(`(${written}|name|header|field|value|sig)(?!\\w)(${closing})(${separator})`, 'gi');
}

interface Pair extends Place {
  keyStart: number;
}

function pairOf(text: string, found: RegExpExecArray): Pair | undefined {
  const [whole, ending = '', closing = '', separator = ''] = found;
  const keyStart = startOfKey(text, found.index);
  const before = text[keyStart - 1] ?? '';
  const key = text.slice(keyStart, found.index) + ending;
  const sign = separator.trim().replace(/\*+$/, '');
  if (sign === '>' && before !== '<') return undefined;
  return {
    // In JSON inside a text a line break is written `\n`, and its letter looks like the first of the key.
    key: before === '\\' && /^[nrt]/.test(key) ? key.slice(1) : key,
    keyStart,
    start: found.index + whole.length,
    sign: sign === '' ? 'gap' : sign === '>' ? 'tag' : sign === ':' ? 'colon' : 'equals',
    isTight: /^=+$/.test(separator),
    isQuotedKey: /["']/.test(closing),
    quote: closing === '' && /["'`]/.test(before) ? before : '',
  };
}

const KEY_CHARS = 100;

function startOfKey(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < KEY_CHARS && /[\w.-]/.test(text[start - 1] ?? '')) start--;
  return start;
}

/** Beside keys that say nothing alone: `API key: …`, `?sig=…`, and the value after `name: DB_PASSWORD`. */
function kindBeside(text: string, pair: Pair, keys: SecretKeys, named: Named | undefined): SecretKind | undefined {
  const { key, keyStart } = pair;
  if (pair.sign === 'gap') return undefined;
  if (/^(?:key|string)$/i.test(key)) {
    const word = /[A-Za-z]+(?= $)/.exec(text.slice(Math.max(0, keyStart - 20), keyStart))?.[0];
    return word === undefined ? undefined : keys.kindOf(word + key);
  }
  if (key === 'sig' && /[?&]/.test(text[keyStart - 1] ?? '')) return 'any';
  if (/^value$/i.test(key) && named !== undefined && keyStart - named.end < 100) return named.kind;
  return undefined;
}

interface Named {
  key: string;
  kind: SecretKind;
  end: number;
}

/** `{"name": "DB_PASSWORD", "field": "a", …}` has two names, and either can be the one that tells. */
function nameAt(text: string, pair: Pair, keys: SecretKeys, before: Named | undefined): Named | undefined {
  const name = /^\\*["']?([\w.-]+)/.exec(text.slice(pair.start, pair.start + 100))?.[1];
  const kind = name === undefined || pair.sign === 'gap' ? undefined : keys.kindOf(name);
  const key = pair.key.toLowerCase();
  if (kind !== undefined) return { key, kind, end: pair.start };
  return before?.key === key ? undefined : before;
}

/** When the key is only a word of a sentence, or the name of a file, the text behind it is no value. */
function mayHold(text: string, pair: Pair, kind: SecretKind): boolean {
  const before = text.slice(Math.max(0, pair.keyStart - 12), pair.keyStart);
  switch (pair.sign) {
    case 'equals':
    case 'tag':
      return true;
    case 'colon':
      // `cat: /run/secrets/db_password: Permission denied`, `Unexpected token: }`, `PASS: test/one.sh`
      if (before.endsWith('/')) return false;
      if (/(?:unexpected|illegal) $/i.test(before)) return false;
      return (kind !== 'not-a-number' && kind !== 'text') || pair.isQuotedKey || !/\s/.test(text[pair.start - 1] ?? '');
    case 'gap':
      if (/^--?[A-Za-z]/.test(pair.key)) return true;
      if (pair.key.includes('_') && /(?:^|\s)(?:set|setenv|ENV|-g?x)\s$/.test(before)) return true;
      return /^passw(?:or)?d$/i.test(pair.key) && /^["'](?=\S)/.test(text.slice(pair.start, pair.start + 2));
  }
}
