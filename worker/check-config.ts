import { readFile } from 'node:fs/promises';
import type { CheckedConfig } from '#client/cli/programs.js';
import { maillessTeams } from '#config/sections/teams.js';
import { knownNames, parseMeshConfig } from '#config/mesh-config.js';
import { missingPrograms } from '#config/missing-programs.js';
import { parseYaml } from '#contract/text/parse-yaml.js';
import type { Problem } from '#contract/text/problem.js';
import type { Environment } from '#contract/settings.js';
import { privateReceivers } from './private-receivers.js';
import { secretProblems } from './secret-problems.js';

/** For `mesh check`: what is wrong with a configuration, and what of it is not there on this machine. */
export async function checkConfig(file: string, env: Environment = process.env): Promise<CheckedConfig> {
  const text = await readFile(file, 'utf8').catch(unreadable);
  if (typeof text !== 'string') return refused([{ file, path: '', message: text.unreadable }]);
  const parsed = parseMeshConfig(text, file);
  if (!parsed.ok) return refused(parsed.problems);

  const { agents, teams } = parsed.value;
  const missing = await Promise.all([
    ...Object.entries(agents).map(([type, agent]) => missingPrograms(type, agent, env)),
    secretProblems(parsed.value, env),
    privateReceivers(parsed.value, env),
  ]);
  return {
    problems: [],
    warnings: withLines([...maillessTeams(teams), ...missing.flat()], text, file),
    agents: Object.keys(agents).length,
    teams: Object.keys(teams).length,
    known: knownNames(parsed.value),
  };
}

function unreadable(error: NodeJS.ErrnoException): { unreadable: string } {
  if (error.code === 'ENOENT') return { unreadable: 'file not found' };
  return { unreadable: error.code === 'EISDIR' ? 'is a folder, expected a file' : `cannot be read: ${error.message}` };
}

function refused(problems: Problem[]): CheckedConfig {
  return { problems, warnings: [], agents: 0, teams: 0 };
}

function withLines(problems: Problem[], text: string, file: string): Problem[] {
  const parsed = parseYaml(text, file);
  return problems.map((problem) => {
    const line = parsed.ok ? parsed.lineOf(problem.path) : undefined;
    return { file, ...(line !== undefined && { line }), ...problem };
  });
}
