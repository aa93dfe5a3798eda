// Arguments of signals come from people too, typed by hand: one of another shape must not stop the watch.

/** Longer texts are no names. */
const MAX_TEXT_CHARS = 1_000;
const MAX_TEXTS = 50;

/** A text of any length at a key, or the argument itself when it is one. */
export function textOrTextIn(argument: unknown, key: string): string | undefined {
  const value = typeof argument === 'object' ? valueAt(argument, key) : argument;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function textIn(argument: unknown, key: string): string | undefined {
  return named(valueAt(argument, key));
}

/** Those of a list that are texts; a single text counts as a list of one. */
export function textsIn(argument: unknown, key: string): string[] {
  return listIn(valueAt(argument, key))
    .flatMap((value) => named(value) ?? [])
    .slice(0, MAX_TEXTS);
}

export function numberIn(argument: unknown, key: string): number | undefined {
  const value = valueAt(argument, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** What is no list counts as one of a single value. */
export function listIn(argument: unknown): unknown[] {
  if (argument === undefined || argument === null) return [];
  return Array.isArray(argument) ? argument : [argument];
}

function valueAt(argument: unknown, key: string): unknown {
  return typeof argument === 'object' && argument !== null ? (argument as Record<string, unknown>)[key] : undefined;
}

function named(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT_CHARS ? value : undefined;
}
