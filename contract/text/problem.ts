import type { z } from 'zod';
import { didYouMean, nearest } from './nearest.js';
import type { KnownKeys } from './schema-words.js';

/** One thing wrong with something a person wrote: where, what was expected, and how to mend it. */
export interface Problem {
  file?: string;
  /** Such as `rules[2].cooldownMs`; empty for the whole document. */
  path: string;
  line?: number;
  message: string;
  expected?: string;
  hint?: string;
}

/**
 * Turns what a schema found into problems; `value` is what was parsed, to say what stood there. Where a secret may stand,
 * only its kind is named.
 */
export function problemsOf(
  error: z.ZodError,
  value: unknown,
  mayBeSecret: (path: readonly PropertyKey[]) => boolean = () => false,
): Problem[] {
  return error.issues.flatMap((issue) => problemsOfIssue(issue, value, mayBeSecret(issue.path) ? showKind : show));
}

export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key);
    if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

/** One line for people and logs. */
export function formatProblem(problem: Problem): string {
  const place = [problem.file, problem.line].filter((part) => part !== undefined).join(':');
  const what = [problem.path, problem.message].filter((part) => part !== '').join(': ');
  const hint = problem.hint === undefined ? '' : ` (${problem.hint})`;
  return [place, what].filter((part) => part !== '').join(': ') + hint;
}

function problemsOfIssue(issue: z.core.$ZodIssue, value: unknown, say: (found: unknown) => string): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    const { known = [] } = issue as Partial<KnownKeys>;
    // A file with so many problems did not misspell one key, and guessing takes time.
    const isGuessed = issue.keys.length <= MAX_GUESSED_KEYS;
    const named = issue.keys.slice(0, MAX_NAMED_KEYS);
    const more = issue.keys.length - named.length;
    return [
      ...named.map((key) => unknownKey([...issue.path, key], key, known, isGuessed)),
      ...(more > 0 ? [{ path: formatPath(issue.path), message: `has ${more} more unknown keys` }] : []),
    ];
  }
  const path = formatPath(issue.path);
  if (issue.code === 'custom')
    return [{ path, ...(issue.params as Partial<Problem> | undefined), message: issue.message }];

  const expected = issue.message;
  const found = valueAt(value, issue.path);
  if (found === undefined) return [{ path, message: `is missing: expected ${expected}`, expected }];
  const hint = hintFor(issue, found);
  return [{ path, message: `expected ${expected}, found ${say(found)}`, expected, ...(hint && { hint }) }];
}

const MAX_GUESSED_KEYS = 20;
/** Nobody reads more, and to name each of some hundred thousand takes seconds. */
const MAX_NAMED_KEYS = 1_000;

function unknownKey(path: PropertyKey[], key: string, known: string[], isGuessed: boolean): Problem {
  return {
    path: formatPath(path),
    message: `unknown key "${key}"`,
    expected: `one of ${known.join(', ')}`,
    hint: didYouMean(key, isGuessed ? known : [], `known here: ${known.join(', ')}`),
  };
}

function hintFor(issue: z.core.$ZodIssue, found: unknown): string | undefined {
  const isNumberWanted = issue.code === 'invalid_type' && ['int', 'number'].includes(issue.expected);
  if (isNumberWanted && typeof found === 'string' && /^-?\d+$/.test(found)) return 'remove the quotes';
  if (found === 'true' || found === 'false') return 'remove the quotes';
  if (found === null) return 'give a value, or leave it out';
  const guess = typeof found === 'string' ? nearest(found, choicesOf(issue)) : undefined;
  return guess && `did you mean "${guess}"?`;
}

/** The words that may stand there, if it is a choice between words. */
function choicesOf(issue: z.core.$ZodIssue): string[] {
  const choices = issue.code === 'invalid_value' ? issue.values : 'options' in issue ? (issue.options ?? []) : [];
  return choices.filter((one) => typeof one === 'string');
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (typeof inner !== 'object' || inner === null) return undefined;
    return (inner as Record<PropertyKey, unknown>)[key];
  }, value);
}

function showKind(value: unknown): string {
  if (typeof value === 'object') return value === null ? 'null' : show(value);
  return value === '' ? 'an empty text' : `a ${typeof value === 'string' ? 'text' : typeof value}`;
}

const MAX_SHOWN_CHARS = 60;

function show(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  // Half a text, or an address, may hold a secret that nobody could tell any more to be one.
  const isClosed = typeof value === 'string' && (value.length > MAX_SHOWN_CHARS || value.includes('://'));
  if (isClosed) return `a text of ${value.length} characters`;
  return JSON.stringify(value) ?? String(value);
}
