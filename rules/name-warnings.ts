import type { Problem } from '#contract/text/problem.js';
import type { Ruleset } from '#contract/ruleset.js';
import { agentWarnings } from './agent-warnings.js';
import { capacityWarnings } from './capacity-warnings.js';
import type { KnownNames } from './known-names.js';
import { teamWarnings } from './team-warnings.js';

/** What rules name, or need, and `mesh.yaml` does not have. */
export function nameWarnings(ruleset: Ruleset, known: KnownNames): Problem[] {
  return [...teamWarnings(ruleset, known), ...agentWarnings(ruleset, known), ...capacityWarnings(ruleset, known)];
}
