import type { Redactor } from '#contract/text/redact/redact.js';

const SAFE = /^[\w.:-]{1,100}$/;

/** The caller's own id when it can stand in a log and in an event; else a new one. */
export function requestIdOf(given: string | string[] | undefined, redactor: Redactor, makeId: () => string): string {
  if (typeof given !== 'string' || !SAFE.test(given)) return makeId();
  // Whoever puts a token there by mistake should not find it in a history.
  return redactor.text(given) === given ? given : makeId();
}
