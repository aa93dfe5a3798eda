/** Asks once for all who want to know within a while: a probe that anyone may call must cost nothing. */
export function remembered<T>(ask: () => Promise<T>, forMs: number, now: () => number): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedAt = -Infinity;
  return () => {
    if (answer === undefined || now() - askedAt >= forMs || now() < askedAt) {
      askedAt = now();
      answer = ask();
      answer.catch(() => (answer = undefined));
    }
    return answer;
  };
}
