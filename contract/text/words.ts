/** "1 agent", "2 agents". */
export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** A value within a sentence of the mesh, so that nothing in it passes for words of that sentence. A plain word stays as it is. */
export function quoted(value: string): string {
  return PLAIN.test(value) ? value : `"${value.replace(QUOTES, "'")}"`;
}

/** Without a space, or anything that looks like one, there is no sentence. */
const PLAIN = /^[\w./:-]+$/;
/** Escapes also characters that only look like the end of the quotation. */
const QUOTES = /["\u02ba\u02dd\u02ee\u201c-\u201f\u2033\u2036\u275d\u275e\u301d-\u301f\uff02]/g;

/** What a caught value says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
