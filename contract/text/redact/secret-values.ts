import { isCode, isEmptyWord, isOption, isReference, isSentenceWord } from './harmless-values.js';
import { MARK } from './redacted.js';

/** Where a value is expected, and how it was come to. */
export interface Place {
  key: string;
  start: number;
  /** `key=value`, `key: value`, `--key value`, `<key>value`. */
  sign: 'equals' | 'colon' | 'gap' | 'tag';
  /** An equals sign with nothing around it, as in a shell. */
  isTight: boolean;
  /** The key had quotes of its own, as in JSON. */
  isQuotedKey: boolean;
  /** The quote that was opened before the key and closes after the value: `-H "Cookie: a=b"`. */
  quote: string;
}

export interface FoundValue {
  start: number;
  end: number;
  value: unknown;
}

/** The value to hide. Nothing when there is no value, or when it is only a word, a reference or code. */
export function findValue(text: string, place: Place): FoundValue | undefined {
  const found = valueAt(text, place);
  if (found === undefined || found.start >= found.end) return undefined;
  const written = text.slice(found.start, found.end);
  return WHOLE_MARK.test(written) || isReference(written) ? undefined : found;
}

const WHOLE_MARK = new RegExp(`^${MARK}$`);
const ENDS_WITH_MARK = new RegExp(`${MARK}$`);

function valueAt(text: string, place: Place): FoundValue | undefined {
  if (place.sign === 'tag') {
    return textValue(text, place.start, endOf(/(?:[^<\r\n]+(?=<\/))?/y, text, place.start));
  }
  if (place.sign === 'colon') {
    // A block of YAML: as many lines as stand under the first one.
    const block = endOf(/(?:[|>][-+\d]*[ \t]*\r?\n([ \t]+)\S[^\n]*(?:\n\1[^\n]*)*)?/y, text, place.start);
    if (block > place.start) return textValue(text, place.start, block);
  }
  const opening = matchAt(/([bfru$@]?)(\\*)(["'`])/y, text, place.start);
  if (opening !== undefined) {
    const [whole, prefix, slashes = '', quote = ''] = opening;
    if (quote !== place.quote) return quotedValue(text, place, place.start + whole.length, slashes.length, quote);
    if (prefix === '') return undefined;
  }
  const isMark = matchAt(new RegExp(MARK, 'y'), text, place.start) !== undefined;
  if (!isMark && place.isQuotedKey && /[[{]/.test(text[place.start] ?? '')) return structure(text, place.start);
  return headerValue(text, place) ?? plainValue(text, place, isMark);
}

function quotedValue(text: string, place: Place, start: number, slashes: number, quote: string): FoundValue {
  const close = slashes > MAX_SLASHES ? undefined : closingQuote(text, start, slashes, quote);
  // Cut, or never closed: the rest of the line.
  if (close === undefined) return textValue(text, start, endOf(/[^\r\n…]*/y, text, start));
  const after = close + slashes + 1;
  // In a shell the value goes on: 'it'"'"'s'.
  const more = place.isTight && slashes === 0 ? endOf(/(?:[\w$]|'[^'\n]*'|"[^"\n]*")*/y, text, after) : after;
  if (more > after) return textValue(text, start - 1, more);
  return textValue(text, afterScheme(text, start, place.key), close);
}

/** JSON four levels deep. Each number of backslashes more would be one more search to the end of the line. */
const MAX_SLASHES = 15;

/** In a JSON text inside a JSON text the quotes carry backslashes; the closing one carries as many as the opening one. */
function closingQuote(text: string, start: number, slashes: number, quote: string): number | undefined {
  const quotes = quote === '"' ? /(?<!\\)(\\*)"|\n/g : quote === "'" ? /(?<!\\)(\\*)'|\n/g : /(?<!\\)(\\*)`|\n/g;
  quotes.lastIndex = start;
  for (let found = quotes.exec(text); found !== null; found = quotes.exec(text)) {
    const [whole, before = ''] = found;
    if (whole === '\n') return undefined;
    if (before.length >= slashes && (before.length - slashes) % (2 * (slashes + 1)) === 0)
      return found.index + before.length - slashes;
  }
  return undefined;
}

const STRUCTURE_CHARS = 500;

/** A list or an object of JSON, when it is short and complete; else the keys inside it are looked at one by one. */
function structure(text: string, start: number): FoundValue | undefined {
  const near = text.slice(start, start + STRUCTURE_CHARS);
  let depth = 0;
  for (let at = 0; at < near.length; at++) {
    const char = near[at];
    if (char === '{' || char === '[') depth++;
    if (char === '}' || char === ']') depth--;
    if (depth === 0) return { start, end: start + at + 1, value: readJson(near.slice(0, at + 1)) };
  }
  return undefined;
}

function readJson(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

/** `Authorization: Bearer abc` keeps its scheme; cookies and digests have several parts and are hidden to the end. */
function headerValue(text: string, { key, start, sign, quote }: Place): FoundValue | undefined {
  if (sign !== 'colon') return undefined;
  const secret = afterScheme(text, start, key);
  const isCookie = /cookie$/i.test(key) && matchAt(/[^\s=;,"']{1,100}=/y, text, start) !== undefined;
  if (secret === start && !isCookie) return undefined;
  const isWord = secret > start && !/^(?:Digest|AWS4)/i.test(text.slice(start, start + 6));
  const quotes = isWord && quote === '' ? `"'\`` : quote;
  return textValue(text, secret, endOf(new RegExp(`[^\\r\\n\\\\…${quotes}]*`, 'y'), text, secret));
}

function afterScheme(text: string, start: number, key: string): number {
  if (!/authorization$/i.test(key)) return start;
  return endOf(/(?:(?:Bearer|Basic|Token|Digest|Negotiate|NTLM|ApiKey|AWS4-HMAC-SHA256)[ \t]+)?/iy, text, start);
}

/** Up to a blank, a quote, or a sign that ends a word in a shell or a query; `\n` inside JSON is a line break. */
const PLAIN = /(?:[^\s"'`&;|<>\\…]|\\+[^\\nrt"'`\r\n])*/y;

function plainValue(text: string, place: Place, isMark: boolean): FoundValue | undefined {
  const { start, sign, isTight } = place;
  if (matchAt(/\$\{(?:env:|file:)?[\w./-]+\}(?![\w$])/y, text, start)) return undefined;
  let end = endOf(PLAIN, text, start);
  while (
    end > start &&
    /[,)}\].:]/.test(text[end - 1] ?? '') &&
    !ENDS_WITH_MARK.test(text.slice(Math.max(start, end - 20), end))
  )
    end--;
  const written = text.slice(start, end);
  if (!isTight && !isMark && isCode(written)) return undefined;
  if (isEmptyWord(written)) return undefined;
  if (sign === 'gap' && isOption(written)) return undefined;
  if (!isTight && isSentenceWord(written)) return undefined;
  return { start, end, value: /^\d{1,15}$/.test(written) ? Number(written) : written };
}

function textValue(text: string, start: number, end: number): FoundValue {
  return { start, end, value: text.slice(start, end) };
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | undefined {
  sticky.lastIndex = at;
  return sticky.exec(text) ?? undefined;
}

/** Runs patterns that match at every place, at least the empty text. */
function endOf(sticky: RegExp, text: string, at: number): number {
  return at + (matchAt(sticky, text, at)?.[0].length ?? 0);
}
