import { type CST, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, Parser } from 'yaml';
import { formatPath, type Problem } from './problem.js';

export type ParsedText = { ok: true; value: unknown; lineOf: (path: string) => number | undefined } | Refused;
interface Refused {
  ok: false;
  problems: Problem[];
}

/** Reads YAML or JSON text (JSON is YAML) and remembers on which line each path stands. */
export function parseYaml(text: string, file: string): ParsedText {
  if (text.length > MAX_CHARS) return refuse({ file, path: '', message: `is longer than ${MAX_CHARS} characters` });
  const lines = new LineCounter();
  const source = text.replace(/^\uFEFF/, '');
  if (isNestedTooDeep(source)) {
    return refuse({ file, path: '', message: `not valid YAML: nested more than ${MAX_NESTING} levels deep` });
  }
  const document = parseDocument(source, { lineCounter: lines, uniqueKeys: true });
  const [error] = document.errors;
  if (error) {
    const line = error.linePos?.[0].line;
    const message = error.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? 'cannot be read';
    return refuse({ file, path: '', message: `not valid YAML or JSON: ${message}`, ...(line && { line }) });
  }
  const value = readValue(document);
  if (value instanceof Error) {
    // Whose password begins with an asterisk did not mean an alias, and would find it in a log.
    const message = value.message.replace(
      /^(Unresolved alias[^:]*):.*$/s,
      '$1; a text that begins with * needs quotes',
    );
    return refuse({ file, path: '', message: `not valid YAML: ${message}` });
  }
  if (value === null || value === undefined) {
    return refuse({ file, path: '', message: 'is empty: expected an object', hint: 'the smallest valid file is {}' });
  }
  let paths: Map<string, (string | number)[]> | undefined;
  return { ok: true, value, lineOf: (path) => lineOfPath(path) };

  /** A path that does not exist, such as that of a missing key, gets the place of the nearest thing around it. */
  function lineOfPath(wanted: string): number | undefined {
    paths ??= new Map(pathsOf(value).map((keys) => [formatPath(keys), keys]));
    let path = wanted;
    while (path !== '' && !paths.has(path)) path = path.replace(LAST_SEGMENT, '');
    for (let keys = paths.get(path) ?? []; keys.length > 0; keys = keys.slice(0, -1)) {
      const offset = offsetOf(document.getIn(keys.slice(0, -1), true), keys.at(-1) ?? '');
      if (offset !== undefined) return lines.linePos(offset).line;
    }
    return undefined;
  }
}

const LAST_SEGMENT = /(^|\.)[^.[\]]*$|\[[^\]]*\]$/;

const MAX_CHARS = 1_000_000;
const MAX_NESTING = 64;

/**
 * Looked at before the document is built, and without recursion: building one out of 20,000 brackets runs out of stack,
 * which in the wrong place ends the whole process.
 */
function isNestedTooDeep(source: string): boolean {
  const waiting: { token: CST.Token | null | undefined; depth: number }[] = [];
  for (const token of new Parser().parse(source)) waiting.push({ token, depth: 0 });
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { token, depth } = next;
    if (depth > MAX_NESTING) return true;
    if (!token) continue;
    if (token.type === 'document') waiting.push({ token: token.value, depth });
    if (!('items' in token)) continue;
    for (const { key, value } of token.items) {
      waiting.push({ token: key, depth: depth + 1 }, { token: value, depth: depth + 1 });
    }
  }
  return false;
}

/** A hundred aliases are more than any rule file needs, and fewer than a "billion laughs" file has. */
function readValue(document: ReturnType<typeof parseDocument>): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return containsItself(value) ? new Error('an alias stands inside what it repeats') : value;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function containsItself(value: unknown, around: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return around.includes(value) || Object.values(value).some((inner) => containsItself(inner, [...around, value]));
}

function pathsOf(value: unknown, prefix: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [prefix];
  const inner = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item] as const)
    : Object.entries(value);
  return [prefix, ...inner.flatMap(([key, item]) => pathsOf(item, [...prefix, key]))];
}

/** Where a key, not its value, begins: the value of `actions:` may start a line further down. */
function offsetOf(parent: unknown, key: string | number): number | undefined {
  const item = isSeq(parent) ? parent.items[Number(key)] : undefined;
  const pair = isMap(parent)
    ? parent.items.find((candidate) => isScalar(candidate.key) && String(candidate.key.value) === String(key))
    : undefined;
  const node = item ?? pair?.key;
  return isNode(node) ? node.range?.[0] : undefined;
}

function refuse(problem: Problem): Refused {
  return { ok: false, problems: [problem] };
}
