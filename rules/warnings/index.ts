import type { Problem } from '#contract/text/problem.js';
import type { Ruleset } from '#contract/ruleset.js';
import { crowdWarnings } from './crowd-warnings.js';
import { ruleWarnings } from './rule-warnings.js';

export { type KnownNames, nameWarnings } from './name-warnings.js';

/** What a valid ruleset says that is most likely not meant. */
export function rulesetWarnings(ruleset: Ruleset): Problem[] {
  return [...ruleWarnings(ruleset), ...crowdWarnings(ruleset)];
}
