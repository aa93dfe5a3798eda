/** Cut where it can be seen, and how much. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars).toWellFormed()}… [cut: ${text.length - maxChars} more characters]`;
}
