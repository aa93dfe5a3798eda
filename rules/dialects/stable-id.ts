import { shortHash } from '#contract/hash.js';
import { createRedactor } from '#contract/text/redact/redact.js';

const MAX_ID_CHARS = 200;
/** Without the colon, which stands between parts, and without a tilde in front, which marks a hash. */
const PLAIN_PART = /^[\w.@+=-][\w.@+=~-]*$/;

const redactor = createRedactor();

/**
 * An event id made of what names the event at its source: the same parts always give the same id, and other parts another
 * one. Parts stay readable where they fit; what is too long for its share of the id, or has other characters, is hashed.
 */
export function stableId(dialect: string, parts: string[]): string {
  const room = Math.floor((MAX_ID_CHARS - dialect.length) / parts.length) - 1;
  const isPlain = (part: string) => part.length <= room && PLAIN_PART.test(part);
  const id = joined(dialect, parts, isPlain);
  // Ids are stored in clear, so one with a secret in it would be refused. A session called build-token is enough for that.
  return redactor.text(id) === id ? id : joined(dialect, parts, () => false);
}

function joined(dialect: string, parts: string[], isPlain: (part: string) => boolean): string {
  return [dialect, ...parts.map((part) => (isPlain(part) ? part : `~${shortHash(part)}`))].join(':');
}
