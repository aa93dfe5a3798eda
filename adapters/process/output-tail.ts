import { visible } from '#contract/text/plain-text.js';
import type { Redactor } from '#contract/text/redact/redact.js';

/** The end of what a program wrote. */
export interface RawOutput {
  text: string;
  /** There was more before it. */
  isCut: boolean;
}

export interface TailReader {
  /** Without secrets, and harmless to look at; `detail` says the same for people. */
  read(output: RawOutput): { outputTail: string; detail: string };
}

export const MAX_TAIL_CHARS = 2_000;

/** Half a secret may stand where the output was cut, and it does not look like a secret. */
const MAX_HALF_SECRET_CHARS = 4_096;

/** Shorter secrets would tear ordinary words apart. */
const MIN_SECRET_CHARS = 6;

/** `secrets`: the very texts that the program was given. */
export function createTailReader(redactor: Redactor, secrets: readonly string[]): TailReader {
  const known = secrets.filter((secret) => secret.length >= MIN_SECRET_CHARS).sort((a, b) => b.length - a.length);
  return {
    read({ text, isCut }) {
      const hidden = known.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
      const redacted = redactor.text(hidden);
      const safe = isCut ? redacted.slice(MAX_HALF_SECRET_CHARS) : redacted;
      const outputTail = endOf(shown(endOf(safe.trim()))).trim();
      return { outputTail, detail: outputTail === '' ? 'no output' : `output: ${outputTail}` };
    },
  };
}

function endOf(text: string): string {
  return text.slice(-MAX_TAIL_CHARS).toWellFormed();
}

/** Lines stay lines; a program that paints over its line has written several. */
function shown(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => visible(line.replaceAll('\t', '  ')))
    .join('\n');
}
