import type { MeshConfig } from '#config/mesh-config.js';
import type { Current } from '#config/read-through.js';
import { shortenProblems } from '#config/shorten-problems.js';
import type { ConfigTrouble } from '#contract/matched.js';

/** Enough to know what to look at. They are told with every batch, also of one event. */
const SHOWN_PROBLEMS = 3;

/** What the watch is told of a `mesh.yaml` that is not in use as it is now, so that people who look at it see that too. */
export function configTroubleOf(
  { available, problems }: Current<MeshConfig>,
  redact: (text: string) => string,
): ConfigTrouble | undefined {
  const [first] = problems;
  if (!first) return undefined;
  return {
    source: first.file ?? 'mesh.yaml',
    problems: shortenProblems(problems, { shown: SHOWN_PROBLEMS, redact }),
    hasGoodVersion: available,
  };
}
