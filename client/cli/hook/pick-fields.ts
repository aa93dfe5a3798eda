/** Most input is cut off in the middle of something large; what tells the event is before it. */
const LOOKED_AT_CHARS = 256 * 1024;
const MAX_VALUE_CHARS = 2_000;
/** A text that is cut off goes to the very end: tried again at each of its quotes, it would take minutes. */
const TOKEN = /"[^"\\]*(?:\\(?:[^]|$)[^"\\]*)*(?:"|$)|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * The short fields of a JSON object that is broken or cut off, as far as they are whole. Only those of the object itself: an
 * input of a tool may have fields of the same names.
 */
export function pickFields(text: string): Record<string, unknown> {
  const looked = text.slice(0, LOOKED_AT_CHARS);
  const picked: Record<string, unknown> = {};
  let depth = 0;
  let before: string[] = [];
  for (const { 0: token, index } of looked.matchAll(TOKEN)) {
    const [opening, name, colon] = before;
    // A text ends with its quote; of a number at the very end there may be more.
    const isWhole = token.startsWith('"') || index + token.length < looked.length;
    if (depth === 1 && isWhole && (opening === '{' || opening === ',') && name !== undefined && colon === ':') {
      const key = parsed(name);
      const value = parsed(token);
      if (typeof key === 'string' && isShort(value)) picked[key] = value;
    }
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    before = [...before.slice(-2), token];
  }
  return picked;
}

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_VALUE_CHARS;
  return typeof value === 'number' || typeof value === 'boolean';
}

function parsed(token: string): unknown {
  try {
    return JSON.parse(token);
  } catch {
    return undefined;
  }
}
