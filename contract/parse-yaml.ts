import { LineCounter, parseDocument } from 'yaml';
import { formatPath, type Problem } from './problem.js';

export type ParsedText = { ok: true; value: unknown; lineOf: (path: string) => number | undefined } | Refused;
interface Refused {
  ok: false;
  problems: Problem[];
}

/** Reads YAML or JSON text (JSON is YAML) and remembers on which line each path stands. */
export function parseYaml(text: string, file: string): ParsedText {
  const lines = new LineCounter();
  const document = parseDocument(text.replace(/^\uFEFF/, ''), { lineCounter: lines, uniqueKeys: true });
  const [error] = document.errors;
  if (error) {
    const line = error.linePos?.[0].line;
    const message = error.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? 'cannot be read';
    return refuse({ file, path: '', message: `not valid YAML or JSON: ${message}`, ...(line && { line }) });
  }
  const value = readValue(document);
  if (value instanceof Error) return refuse({ file, path: '', message: `not valid YAML: ${value.message}` });
  if (value === null || value === undefined) {
    return refuse({ file, path: '', message: 'is empty: expected an object', hint: 'the smallest valid file is {}' });
  }
  return { ok: true, value, lineOf: (path) => lineOfPath(value, path) };

  function lineOfPath(root: unknown, wanted: string): number | undefined {
    const path = pathsOf(root).find((candidate) => formatPath(candidate) === wanted);
    for (let keys = path ?? []; keys.length > 0; keys = keys.slice(0, -1)) {
      const node = document.getIn(keys, true) as { range?: [number, number, number] } | undefined;
      if (node?.range) return lines.linePos(node.range[0]).line;
    }
    return undefined;
  }
}

/** A hundred aliases are more than any rule file needs, and fewer than a "billion laughs" file has. */
function readValue(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function pathsOf(value: unknown, prefix: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [prefix];
  const inner = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item] as const)
    : Object.entries(value);
  return [prefix, ...inner.flatMap(([key, item]) => pathsOf(item, [...prefix, key]))];
}

function refuse(problem: Problem): Refused {
  return { ok: false, problems: [problem] };
}
