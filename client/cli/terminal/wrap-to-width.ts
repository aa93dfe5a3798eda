import { cutToWidth, GRAPHEMES, textWidth } from './text-width.js';

/**
 * The text in lines of so many columns, `maxLines` at most; what does not fit is cut, with a mark. It breaks after commas and
 * semicolons, at other blanks where that is not enough, and within a word that is longer than a line.
 */
export function wrapToWidth(text: string, width: number, maxLines: number): string[] {
  if (maxLines < 2 || textWidth(text) <= width) return [cutToWidth(text, width)];
  const lines = text.split(/(?<=[,;]) /).reduce<string[]>((before, part) => {
    const joined = join(before, part, width);
    if (joined) return joined;
    if (textWidth(part) <= width) return [...before, part];
    const words = part.split(' ').flatMap((word) => piecesOf(word, width));
    return words.reduce((done, word) => join(done, word, width) ?? [...done, word], before);
  }, []);
  const last = lines.slice(maxLines - 1).join(' ');
  return [...lines.slice(0, maxLines - 1), last].filter((line) => line !== '').map((line) => cutToWidth(line, width));
}

function piecesOf(word: string, width: number): string[] {
  if (textWidth(word) <= width) return [word];
  const pieces = [''];
  for (const { segment } of GRAPHEMES.segment(word)) {
    if (textWidth(`${pieces.at(-1)}${segment}`) > width) pieces.push('');
    pieces.push(`${pieces.pop()}${segment}`);
  }
  return pieces;
}

/** The lines with one more text on the last of them, if there is room. */
function join(lines: string[], text: string, width: number): string[] | undefined {
  const last = lines.at(-1);
  if (last === undefined) return undefined;
  const joined = `${last} ${text}`;
  return textWidth(joined) <= width ? [...lines.slice(0, -1), joined] : undefined;
}
