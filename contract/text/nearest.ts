/** The candidate a person most likely meant, or nothing when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  // No slip of anyone's fingers, and comparing it would take long.
  if (word.length > MAX_WORD_CHARS) return undefined;
  const allowed = Math.max(2, Math.floor(word.length / 3));
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= allowed && distance < candidate.length && (best === undefined || distance < best.distance)) {
      best = { candidate, distance };
    }
  }
  return best?.candidate;
}

const MAX_WORD_CHARS = 100;

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + swap));
    }
    row = next;
  }
  return row[b.length]!;
}

/** The hint for a name that is not there: the one most likely meant, or what else there is to say. */
export function didYouMean(name: string, there: readonly string[], otherwise: string): string {
  const guess = nearest(name, there);
  return guess === undefined ? otherwise : `did you mean ${JSON.stringify(guess)}?`;
}
