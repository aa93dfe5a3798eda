/** At most so many characters, "…" for what is cut among them. No half of a pair of surrogates is left. */
export function shortened(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).toWellFormed()}…`;
}

/** Summaries of timers, activities and workflows are short by the server's rule: a longer one is refused, and the run with it. */
export function summaryOf(text: string): string {
  const line = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
  return shortened(line, MAX_CHARS);
}

/** At most three bytes each, under the limit of 200 bytes that the strictest servers have. */
const MAX_CHARS = 60;

/** At most so many characters. What is cut ends at a word, with "…", unless that would take more than half of it away. */
export function cutAtWord(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // The character after the cut tells whether the word before it is whole.
  const atWord = text.slice(0, maxChars).replace(/\s+\S*$/, '');
  const isAtWord = atWord.length < maxChars && atWord.length >= maxChars / 2;
  return isAtWord ? `${atWord}…` : shortened(text, maxChars);
}

/** Cut where it can be seen, and how much. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars).toWellFormed()}… [cut: ${text.length - maxChars} more characters]`;
}
