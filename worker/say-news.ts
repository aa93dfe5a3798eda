import { formatProblem, type Problem } from '#contract/text/problem.js';

/** Says of each file what was not said of it the last time. */
export function createNews(warn: (file: string, warning: string) => void) {
  const said = new Map<string, string[]>();
  return (file: string, problems: readonly Problem[]): void => {
    const warnings = problems.map(formatProblem);
    for (const warning of warnings) if (!said.get(file)?.includes(warning)) warn(file, warning);
    said.set(file, warnings);
  };
}
