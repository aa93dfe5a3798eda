// Text of events, rules and agents as people may safely look at it, in a terminal or elsewhere.

/** Control, bidirectional and zero-width characters as what they are, not as what they do. */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** The same with line breaks kept, whichever kind they are. */
export function visibleLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map(visible);
}
