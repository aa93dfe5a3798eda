import { knownNames, type MeshConfig, parseMeshConfig } from '#config/mesh-config.js';
import { type Current, type Parsed, ReadThroughFile } from '#config/read-through.js';
import { RulesetStore } from '#config/ruleset-store.js';
import { formatProblem } from '#contract/text/problem.js';
import type { Environment, Settings } from '#contract/settings.js';
import type { ConsoleLog } from './console-log.js';
import { createCrossCheck } from './cross-check.js';
import { createSecretCheck } from './secret-check.js';

/** The files everything follows: read anew whenever they change, with their news in the log. */
export interface Sources {
  rulesets: RulesetStore;
  config: ReadThroughFile<MeshConfig>;
}

/** `actsIn` is the environment of a process that acts by them. Any other need not have their secrets. */
export function makeSources(
  settings: Settings,
  log: Pick<ConsoleLog, 'info' | 'error'>,
  actsIn?: Environment,
): Sources {
  const report = (what: string, otherwise: string) => (file: string, current: Current<unknown>) => {
    if (current.problems.length === 0) return log.info({ file }, `${what} loaded from ${file}`);
    const consequence = current.available ? 'the last good version stays in use' : otherwise;
    const problems = current.problems.map((problem) => `  - ${formatProblem(problem)}`).join('\n');
    log.error({ file }, `${what}: ${file} cannot be used, ${consequence}:\n${problems}`);
  };
  const rulesChanged = report('Rules', 'nothing is in use, events are held');
  const configChanged = report('Configuration', 'nothing is in use');
  const crossCheck = createCrossCheck((file, warning) => log.error({ file }, `Rules: ${file}: warning: ${warning}`));
  const checkSecrets =
    actsIn &&
    createSecretCheck(actsIn, (file, warning) => log.error({ file }, `Configuration: ${file}: warning: ${warning}`));
  return {
    rulesets: new RulesetStore({
      path: settings.rules,
      onChange: (file, current) => {
        rulesChanged(file, current);
        if (current.available) crossCheck.takeRules(file, current.value);
      },
      onProblem: (problem) => log.error({}, `Rules: ${problem}`),
    }),
    config: new ReadThroughFile<MeshConfig>(settings.config, {
      parse: (content, file) => withUiUrl(parseMeshConfig(content, file), settings.uiUrl),
      onChange: (file, current) => {
        configChanged(file, current);
        if (!current.available) return;
        crossCheck.takeNames(knownNames(current.value));
        void checkSecrets?.(file, current.value);
      },
    }),
  };
}

/** `MESH_UI_URL` goes before what the file says. */
function withUiUrl(parsed: Parsed<MeshConfig>, uiUrl: string | undefined): Parsed<MeshConfig> {
  return parsed.ok && uiUrl !== undefined ? { ok: true, value: { ...parsed.value, temporalUi: uiUrl } } : parsed;
}
