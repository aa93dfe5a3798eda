import { knownNames, type MeshConfig, parseMeshConfig } from '#config/mesh-config.js';
import { type Current, type Parsed, ReadThroughFile } from '#config/read-through.js';
import { RulesetStore } from '#config/ruleset-store.js';
import type { Ruleset } from '#contract/ruleset.js';
import type { Environment, Settings } from '#contract/settings.js';
import { formatProblem, type Problem } from '#contract/text/problem.js';
import { type KnownNames, nameWarnings } from '#rules/warnings/index.js';
import type { ConsoleLog } from './logs.js';
import { secretProblems } from './secret-problems.js';

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
  const sayNews = createNews((file, warning) => log.error({ file }, `Configuration: ${file}: warning: ${warning}`));
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
        // Else the first word of a secret that is missing would come from the first delivery or agent that needs it.
        if (actsIn) void secretProblems(current.value, actsIn).then((problems) => sayNews(file, problems));
      },
    }),
  };
}

/** `MESH_UI_URL` goes before what the file says. */
function withUiUrl(parsed: Parsed<MeshConfig>, uiUrl: string | undefined): Parsed<MeshConfig> {
  return parsed.ok && uiUrl !== undefined ? { ok: true, value: { ...parsed.value, temporalUi: uiUrl } } : parsed;
}

interface CrossCheck {
  takeRules(file: string, ruleset: Ruleset): void;
  takeNames(known: KnownNames): void;
}

/** Looks at rules and configuration together, as soon as both are there and whenever one changes. Says what is new. */
function createCrossCheck(warn: (file: string, warning: string) => void): CrossCheck {
  const rulesets = new Map<string, Ruleset>();
  const sayNews = createNews(warn);
  let known: KnownNames | undefined;

  function check(file: string, ruleset: Ruleset): void {
    if (known) sayNews(file, nameWarnings(ruleset, known));
  }

  return {
    takeRules(file, ruleset) {
      rulesets.set(file, ruleset);
      check(file, ruleset);
    },
    takeNames(names) {
      known = names;
      for (const [file, ruleset] of rulesets) check(file, ruleset);
    },
  };
}

/** Says of each file what was not said of it the last time. */
function createNews(warn: (file: string, warning: string) => void) {
  const said = new Map<string, string[]>();
  return (file: string, problems: readonly Problem[]): void => {
    const warnings = problems.map(formatProblem);
    for (const warning of warnings) if (!said.get(file)?.includes(warning)) warn(file, warning);
    said.set(file, warnings);
  };
}
