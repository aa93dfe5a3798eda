import { shortened } from '../contract/shortened.js';

/** At most so many characters. What is cut ends at a word, with "…", unless that would take more than half of it away. */
export function cutAtWord(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // The character after the cut tells whether the word before it is whole.
  const atWord = text.slice(0, maxChars).replace(/\s+\S*$/, '');
  const isAtWord = atWord.length < maxChars && atWord.length >= maxChars / 2;
  return isAtWord ? `${atWord}…` : shortened(text, maxChars);
}
