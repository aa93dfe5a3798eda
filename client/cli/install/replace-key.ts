/**
 * Gives a key of a JSON object another value, and leaves every other character as it is: people have their own way to lay
 * out a file, and other programs write to it too. `text` must be a JSON object.
 */
export function replaceKey(text: string, key: string, value: unknown): string {
  const indent = indentOf(text);
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const isOnOneLine = indent === '';
  const written = isOnOneLine
    ? JSON.stringify(value)
    : JSON.stringify(value, null, indent).replaceAll('\n', lineEnd + indent);

  const place = findValue(text, key);
  if (place.value) return text.slice(0, place.value.start) + written + text.slice(place.value.end);
  const pair = isOnOneLine ? `${JSON.stringify(key)}:${written}` : `${indent}${JSON.stringify(key)}: ${written}`;
  const before = text.slice(0, place.end);
  if (isOnOneLine) return `${before}${place.isEmpty ? '' : ','}${pair}${text.slice(place.end)}`;
  return `${before}${place.isEmpty ? '' : ','}${lineEnd}${pair}${lineEnd}}${text.slice(place.close + 1)}`;
}

/** As the first line that is indented; none for a file without lines. */
function indentOf(text: string): string {
  const [, found] = /\n([ \t]+)"/.exec(text) ?? [];
  if (found !== undefined) return found;
  return text.trim().includes('\n') || /^\s*\{\s*\}\s*$/.test(text) ? '  ' : '';
}

interface Place {
  /** Where the value of the key stands, if it is there. Of several the last: that is the one that counts. */
  value?: { start: number; end: number };
  isEmpty: boolean;
  /** Behind the last thing in the object. */
  end: number;
  /** The closing brace. */
  close: number;
}

function findValue(text: string, key: string): Place {
  let value: Place['value'];
  let at = text.indexOf('{') + 1;
  let end = at;
  for (let isFirst = true; ; isFirst = false) {
    at = skip(text, at, /[\s,]*/y);
    if (text[at] === '}') return { ...(value && { value }), isEmpty: isFirst, end, close: at };
    const afterKey = skip(text, at, STRING);
    const name: unknown = JSON.parse(text.slice(at, afterKey));
    const start = skip(text, afterKey, /\s*:\s*/y);
    end = at = endOfValue(text, start);
    if (name === key) value = { start, end };
  }
}

const STRING = /"(?:[^"\\]|\\.)*"/y;

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const char = text[at];
    if (char === '{' || char === '[') depth += 1;
    if (char === '}' || char === ']') depth -= 1;
    if (char === '"') at = skip(text, at, STRING);
    else if (depth === 0 && char !== '}' && char !== ']') at = skip(text, at, /[^\s,}\]]+/y);
    else at += 1;
  } while (depth > 0);
  return at;
}

function skip(text: string, at: number, what: RegExp): number {
  what.lastIndex = at;
  return at + (what.exec(text)?.[0].length ?? 0);
}
