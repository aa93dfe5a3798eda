/**
 * Where a text stops being JSON, and what should stand there; nothing when it is JSON. What `JSON.parse` says about it
 * depends on the version of Node, and often lacks the place.
 */
export function findJsonError(text: string): { offset: number; expected: string } | undefined {
  const open: ('{' | '[')[] = [];
  let expects: Expectation = 'a value';
  let at = after(WHITESPACE, text, 0);
  while (at < text.length || expects !== 'nothing more') {
    const char = text[at];
    const closing = open.at(-1) === '{' ? '}' : ']';
    if (char !== undefined && char === closing && MAY_CLOSE.has(expects)) {
      open.pop();
      at += 1;
      expects = next(open);
    } else if (expects === ', or }' || expects === ', or ]') {
      if (char !== ',') return { offset: at, expected: expects };
      at += 1;
      expects = open.at(-1) === '{' ? 'a key' : 'a value';
    } else if (expects === 'a key' || expects === 'a key or }') {
      if (char !== '"') return { offset: at, expected: expects };
      const end = endOfText(text, at);
      if (end < 0) return { offset: -end, expected: 'the rest of the text' };
      at = after(WHITESPACE, text, end);
      if (text[at] !== ':') return { offset: at, expected: ':' };
      at += 1;
      expects = 'a value';
    } else if (expects === 'a value' || expects === 'a value or ]') {
      if (char === '{' || char === '[') {
        open.push(char);
        at += 1;
        expects = char === '{' ? 'a key or }' : 'a value or ]';
      } else {
        const end = char === '"' ? endOfText(text, at) : after(WORD, text, at);
        if (end < 0) return { offset: -end, expected: 'the rest of the text' };
        if (end === at) return { offset: at, expected: expects };
        at = end;
        expects = next(open);
      }
    } else return { offset: at, expected: expects };
    at = after(WHITESPACE, text, at);
  }
  return undefined;
}

type Expectation = 'a value' | 'a value or ]' | 'a key' | 'a key or }' | ', or }' | ', or ]' | 'nothing more';

const MAY_CLOSE = new Set<Expectation>(['a value or ]', 'a key or }', ', or }', ', or ]']);

const WHITESPACE = /[ \t\n\r]*/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function next(open: ('{' | '[')[]): Expectation {
  if (open.length === 0) return 'nothing more';
  return open.at(-1) === '{' ? ', or }' : ', or ]';
}

/** Where it ends; where it begins, when it does not stand there. */
function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Negative when it does not end: then it goes wrong there. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    at = after(PLAIN, text, at);
    if (text[at] === '"') return at + 1;
    const escaped = after(ESCAPE, text, at);
    if (escaped === at) return -at;
    at = escaped;
  }
}
