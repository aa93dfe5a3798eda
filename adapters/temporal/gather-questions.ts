import { AsyncResource } from 'node:async_hooks';

/** Resolves with the answer, or with nothing once whoever asks has given up by its signal. */
export type Gathered<Question, Answer> = (
  key: string,
  question: Question,
  signal: AbortSignal,
) => Promise<Answer | undefined>;

interface Asker<Question, Answer> {
  question: Question;
  signal: AbortSignal;
  resolve(answer: Answer | undefined): void;
  reject(error: unknown): void;
}

/**
 * Asks the first question about a key at once, and what comes while that is under way together, when it is answered. So a
 * crowd costs hardly more than one, and no key has more than one question under way.
 */
export function gatherQuestions<Question, Answer>(
  ask: (key: string, questions: Question[]) => Promise<Answer[]>,
  maxTogether: number,
): Gathered<Question, Answer> {
  const lines = new Map<string, Asker<Question, Answer>[]>();
  // In the context of nobody who asks: what one of them is in for, such as a cancellation, does not concern the others.
  const run = AsyncResource.bind(askInTurn);
  return async (key, question, signal) => {
    const settled = new AbortController();
    try {
      return await new Promise((resolve, reject) => {
        if (signal.aborted) return resolve(undefined);
        // Removed in the end: whoever is not answered asks again, with the same signal.
        signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: settled.signal });
        join(key, { question, signal, resolve, reject });
      });
    } finally {
      settled.abort();
    }
  };

  function join(key: string, asker: Asker<Question, Answer>): void {
    const line = lines.get(key);
    if (line) return void line.push(asker);
    lines.set(key, [asker]);
    // Never rejects: each asker is told by itself.
    void run(key);
  }

  async function askInTurn(key: string): Promise<void> {
    const line = lines.get(key) ?? [];
    while (line.length > 0) {
      const askers = line.splice(0, maxTogether).filter(({ signal }) => !signal.aborted);
      if (askers.length === 0) continue;
      const questions = askers.map(({ question }) => question);
      await ask(key, questions).then(
        (answers) => askers.forEach(({ resolve }, index) => resolve(answers[index])),
        (error: unknown) => askers.forEach(({ reject }) => reject(error)),
      );
    }
    lines.delete(key);
  }
}
