import { formatProblem, type Problem } from '#contract/text/problem.js';

const SHOWN_PROBLEMS = 20;
const PROBLEM_CHARS = 400;

interface Shortened {
  shown?: number;
  /** Runs before the texts are cut, since nobody recognises half a secret. */
  redact?: (text: string) => string;
}

/** They travel with every batch into the history of the watch; the log and `mesh check` have them all. */
export function shortenProblems(
  problems: readonly (Problem | string)[],
  { shown = SHOWN_PROBLEMS, redact = (text) => text }: Shortened = {},
): string[] {
  const first = problems
    .slice(0, shown)
    .map((problem) => redact(typeof problem === 'string' ? problem : formatProblem(problem)).slice(0, PROBLEM_CHARS));
  return problems.length > shown ? [...first, `and ${problems.length - shown} more problems`] : first;
}
