/** Stands where a secret stood. */
export const REDACTED = '[redacted]';

/** The mark as it is found again; two keys that have become the same are told apart by a number in it. */
export const MARK = String.raw`\[redacted(?:#\d+)?\]`;

export function numbered(text: string, number: number): string {
  return text.replace(new RegExp(MARK), `[redacted#${number}]`);
}

/** Changes what stands between the marks, and leaves the marks alone. */
export function outsideMarks(text: string, change: (piece: string) => string): string {
  // Splitting by a group keeps what was split at, as every second piece.
  return text
    .split(new RegExp(`(${MARK})`))
    .map((piece, index) => (index % 2 === 0 ? change(piece) : piece))
    .join('');
}
