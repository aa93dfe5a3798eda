/** A block of code in Markdown that nothing inside can end. */
export function fence(language: string, text: string): string {
  const longestRun = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longestRun + 1);
  return `${marks}${language}\n${text.trimEnd()}\n${marks}`;
}
