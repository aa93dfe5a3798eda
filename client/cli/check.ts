import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { formatProblem, type Problem } from '#contract/text/problem.js';
import { type Environment, readSettings, type Settings } from '#contract/settings.js';
import { parseRuleset } from '#rules/parse-ruleset.js';
import type { KnownNames } from '#rules/warnings/index.js';
import { CliError } from './cli-error.js';
import type { CheckedConfig, Programs } from './programs.js';
import { inputName, readInput } from './read-input.js';
import { plural } from './render/facts.js';

interface CheckOptions {
  json?: boolean;
  strict?: boolean;
}

interface Checked {
  file: string;
  valid: boolean;
  /** How many of each there are. */
  rules?: number;
  agents?: number;
  teams?: number;
  problems: Problem[];
  warnings: Problem[];
}

export function addCheckCommand(program: Command, { checkConfig }: Programs): void {
  program
    .command('check')
    .description('check rule files and mesh.yaml: every problem, with its path and how to mend it')
    .argument('[files...]', 'rule files, folders of them, mesh.yaml; - for standard input (default: MESH_RULES)')
    .option('--strict', 'warnings fail too')
    .option('--json', 'print one JSON object per file')
    .addHelpText('after', '\nMESH_CONFIG is checked too when it is there, unless a configuration is among the files.')
    .action((files: string[], options: CheckOptions) => check(files, options, checkConfig));
}

async function check(paths: string[], options: CheckOptions, checkConfig: Programs['checkConfig']): Promise<void> {
  const { settings } = readSettings(process.env);
  const given = (await Promise.all((paths.length > 0 ? paths : [settings.rules]).map(filesAt))).flat();
  const isConfig = (file: string) => isConfigFile(file, settings);
  const files = given.some(isConfig) || !(await isMeant(settings, process.env)) ? given : [...given, settings.config];

  const configs = new Map(await Promise.all(files.filter(isConfig).map(checkedConfig(checkConfig))));
  // With several, nobody can say which of them the rules will meet.
  const [known] = configs.size === 1 ? [...configs.values()].map((config) => config.known) : [];
  const results = await Promise.all(files.map((file) => checkedFile(file, configs.get(file), known)));
  for (const result of results) {
    process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : describe(result, options));
  }
  const failed = results.some((result) => !result.valid || failsByWarnings(result, options));
  if (failed) process.exitCode = 1;
}

function failsByWarnings({ valid, warnings }: Checked, { strict = false }: CheckOptions): boolean {
  return strict && valid && warnings.length > 0;
}

async function filesAt(path: string): Promise<string[]> {
  const isFolder = path !== '-' && (await stat(path).catch(() => undefined))?.isDirectory();
  if (!isFolder) return [path];
  const files = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
  if (files.length === 0) throw new CliError(`${path}: holds no .yaml, .yml or .json file`);
  return files.map((name) => join(path, name));
}

/** The configuration often lies beside the rules. */
function isConfigFile(file: string, { config }: Settings): boolean {
  return file !== '-' && (/^mesh\.(ya?ml|json)$/.test(basename(file)) || resolve(file) === resolve(config));
}

/** One that is named must be there; where there is none, nobody may want one. */
async function isMeant({ config }: Settings, env: Environment): Promise<boolean> {
  if (env['MESH_CONFIG']) return true;
  return stat(config).then(
    () => true,
    () => false,
  );
}

function checkedConfig(checkConfig: Programs['checkConfig']) {
  return async (file: string): Promise<[file: string, config: CheckedConfig]> => {
    if (!checkConfig)
      throw new CliError('this program was started without what checks mesh.yaml: use `npx mesh check`');
    return [file, await checkConfig(file)];
  };
}

async function checkedFile(
  file: string,
  config: CheckedConfig | undefined,
  known: KnownNames | undefined,
): Promise<Checked> {
  if (!config) return rulesFile(file, known);
  const { problems, warnings, agents, teams } = config;
  return { file, valid: problems.length === 0, agents, teams, problems, warnings };
}

async function rulesFile(path: string, known: KnownNames | undefined): Promise<Checked> {
  const file = inputName(path);
  let text: string;
  try {
    text = await readInput(path);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // One file that cannot be read must not hide what is wrong in the others.
    return { file, valid: false, rules: 0, problems: [{ path: '', message: error.message }], warnings: [] };
  }
  const parsed = parseRuleset(text, file, known);
  const problems = parsed.ok ? [] : parsed.problems;
  const rules = parsed.ok ? parsed.ruleset.rules.length : 0;
  return { file, valid: parsed.ok, rules, problems, warnings: parsed.warnings };
}

function describe(checked: Checked, options: CheckOptions): string {
  const { file, valid, problems, warnings, ...counts } = checked;
  const isFailed = failsByWarnings(checked, options);
  const failure = isFailed ? `; fails because of ${plural(warnings.length, 'warning')} (--strict)` : '';
  const lines = [
    ...problems.map((problem) => formatProblem(problem)),
    ...warnings.map((warning) => `warning: ${formatProblem(warning)}`),
    valid ? `${file}: valid, ${describeCounts(counts)}${failure}` : `${file}: ${plural(problems.length, 'problem')}`,
  ];
  return `${lines.join('\n')}\n`;
}

function describeCounts({ rules, agents = 0, teams = 0 }: Pick<Checked, 'rules' | 'agents' | 'teams'>): string {
  return rules === undefined ? `${plural(agents, 'agent type')}, ${plural(teams, 'team')}` : plural(rules, 'rule');
}
