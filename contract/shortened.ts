/** At most so many characters, "…" for what is cut among them. No half of a pair of surrogates is left. */
export function shortened(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).toWellFormed()}…`;
}
