import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { formatProblem, type Problem } from '../../contract/problem.js';
import { parseRuleset } from '../../rules/parse-ruleset.js';
import { CliError } from './cli-error.js';
import { inputName, readInput } from './read-input.js';

interface CheckOptions {
  json?: boolean;
  strict?: boolean;
}

interface Checked {
  file: string;
  valid: boolean;
  rules: number;
  problems: Problem[];
  warnings: Problem[];
}

export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description('check rule files: every problem, with its path and how to mend it')
    .argument('<files...>', 'rule files or folders of them; - for standard input')
    .option('--strict', 'warnings fail too')
    .option('--json', 'print one JSON object per file')
    .action(check);
}

async function check(paths: string[], options: CheckOptions): Promise<void> {
  const files = (await Promise.all(paths.map(filesAt))).flat();
  const results = await Promise.all(files.map(checkFile));
  for (const result of results) {
    process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : describe(result));
  }
  const failed = results.some(({ valid, warnings }) => !valid || (options.strict && warnings.length > 0));
  if (failed) process.exitCode = 1;
}

async function filesAt(path: string): Promise<string[]> {
  const isFolder = path !== '-' && (await stat(path).catch(() => undefined))?.isDirectory();
  if (!isFolder) return [path];
  // The mesh's own configuration often lies beside the rules.
  const files = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/.test(name) && name !== 'mesh.yaml').sort();
  if (files.length === 0) throw new CliError(`${path}: holds no .yaml, .yml or .json file`);
  return files.map((name) => join(path, name));
}

async function checkFile(path: string): Promise<Checked> {
  const file = inputName(path);
  let text: string;
  try {
    text = await readInput(path);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // One file that cannot be read must not hide what is wrong in the others.
    return { file, valid: false, rules: 0, problems: [{ path: '', message: error.message }], warnings: [] };
  }
  const parsed = parseRuleset(text, file);
  const problems = parsed.ok ? [] : parsed.problems;
  const rules = parsed.ok ? parsed.ruleset.rules.length : 0;
  return { file, valid: parsed.ok, rules, problems, warnings: parsed.warnings };
}

function describe({ file, valid, rules, problems, warnings }: Checked): string {
  const lines = [
    ...problems.map((problem) => formatProblem(problem)),
    ...warnings.map((warning) => `warning: ${formatProblem(warning)}`),
    valid
      ? `${file}: valid, ${rules} ${rules === 1 ? 'rule' : 'rules'}`
      : `${file}: ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`,
  ];
  return `${lines.join('\n')}\n`;
}
