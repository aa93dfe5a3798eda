// Small schema builders whose message is what they expect, so that every problem reads
// "expected <this>, found <that>" without a text written per field.

import { z } from 'zod';

export function text(expected = 'a non-empty text') {
  // Aborts, so that an empty text is one problem, not one for each further check.
  return z.string({ error: expected }).min(1, { error: expected, abort: true });
}

export function flag() {
  return z.boolean({ error: 'true or false' });
}

export function wholeNumber(min: number, max: number, unit = '') {
  const expected = `a whole number${unit} from ${min} to ${max}`;
  return z.int({ error: expected }).min(min, { error: expected }).max(max, { error: expected });
}

export function milliseconds(min: number, max: number) {
  return wholeNumber(min, max, ' of milliseconds');
}

export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: `one of ${values.join(', ')}` });
}

export function listOf<T extends z.ZodType>(item: T, expected: string) {
  return z.array(item, { error: expected });
}

/** An object that refuses unknown keys and remembers the known ones, so that a misspelt key gets a guess. */
export function strict<T extends z.ZodRawShape>(shape: T, expected = 'an object') {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error(issue) {
      if (issue.code !== 'unrecognized_keys') return expected;
      // zod keeps what is noted on an issue here.
      Object.assign(issue, { known } satisfies KnownKeys);
      return `no keys but ${known.join(', ')}`;
    },
  });
}

/** What an issue about unknown keys has with it. */
export interface KnownKeys {
  known: string[];
}
