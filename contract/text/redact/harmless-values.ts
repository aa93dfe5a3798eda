/** Says where a secret comes from, and not what it is. `${NAME:-default}` holds a default, which may be one. */
export function isReference(written: string): boolean {
  return written.length <= MAX_REFERENCE_CHARS && (VARIABLE.test(written) || FIELD.test(written));
}

/** A reference can hold more keys, which are read again by themselves. So it must be short. */
const MAX_REFERENCE_CHARS = 300;

const VARIABLE = /^(?:\$[A-Z_][A-Z0-9_]*|\$\{(?:env:|file:)?[\w./-]+\}|\$\{\{[^}]*\}{0,2}|\$\(.*|%[A-Z0-9_]+%)$/;
const FIELD = /^(?:this|self|req|args|config|options|process\.env|import\.meta\.env|os\.environ)[.[][\w.[\]]*$/;

/** The start of a call, an index, a list or an object of a program: `getToken(user)`, `env['TOKEN']`, `{ type: 'string' }`. */
export function isCode(written: string): boolean {
  return /^(?:[[{(]+[\])}]*[A-Za-z_$]*|[A-Za-z_$.]{3,}[([][\w$.()[\]]*)$/.test(written);
}

/** The next option of a command, so that the one before it has no value. */
export function isOption(written: string): boolean {
  return /^--?[A-Za-z][A-Za-z-]*(?:=|$)/.test(written);
}

/** Nothing, yes, no, and the types of a declaration. */
export function isEmptyWord(written: string): boolean {
  return EMPTY_WORDS.has(written.toLowerCase());
}

const EMPTY_WORDS = wordsOf(
  'null nil none undefined true false yes no string str number boolean bool int any unknown object void',
);

/** A text with such a continuation is a sentence: "password: must be longer", "GITHUB_TOKEN: unbound variable". */
export function isSentenceWord(written: string): boolean {
  return SENTENCE_WORDS.has(written.toLowerCase());
}

const SENTENCE_WORDS = wordsOf(`
  a an and are authentication await cannot command could denied does empty error expected expired failed flag for has in
  incorrect invalid is missing must new no not of on option or parameter permission please required requires should the
  this to too unable unbound unexpected user using was with wrong
`);

function wordsOf(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/));
}
