import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, delimiter, join, resolve } from 'node:path';
import { formatPath, type Problem } from '#contract/text/problem.js';
import { shellWord } from '#contract/text/shell-word.js';
import { AGENT_PRESETS } from './agent-presets.js';
import type { Agent, CommandAgent, PresetAgent } from './sections/agents.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a launcher needs and does not find on this machine: its program, its folder, the script for an interpreter. */
export async function missingPrograms(type: string, agent: Agent, env: Environment): Promise<Problem[]> {
  if (agent.kind !== 'command' && agent.kind !== 'preset') return [];
  const at = (...keys: PropertyKey[]) => formatPath(['agents', type, ...keys]);
  if (!(await isFolder(agent.cwd))) return [{ path: at('cwd'), message: `there is no folder ${agent.cwd} here` }];

  const [program, script] = lineOf(agent);
  const places = placesOf(program, agent, env);
  if (!(await Promise.all(places.map(isExecutable))).includes(true)) {
    return [
      { path: agent.kind === 'preset' ? at('preset') : at('command', 0), ...(await whatIsWrong(program, places)) },
    ];
  }
  if (script === undefined || (await isThere(resolve(agent.cwd, script)))) return [];
  return [{ path: at('command', 1), message: `there is no file ${resolve(agent.cwd, script)} here` }];
}

/** Programs whose first argument, when it is no option, is a file they run. */
const INTERPRETER = /^(node|tsx|python[\d.]*|ruby|perl|php|bash|dash|sh|zsh)(\.exe)?$/;

function lineOf(agent: CommandAgent | PresetAgent): [program: string, script?: string] {
  if (agent.kind === 'preset') return [AGENT_PRESETS[agent.preset].program];
  const [program = '', first] = agent.command;
  const isScript = first !== undefined && !first.startsWith('-') && INTERPRETER.test(basename(program));
  return isScript ? [program, first] : [program];
}

/** Looks as the system does: for a name on the PATH that the agent will have, for a path from its folder. */
function placesOf(program: string, { cwd, env: own }: CommandAgent | PresetAgent, env: Environment): string[] {
  if (isPath(program)) return [resolve(cwd, program)];
  const folders = (own['PATH'] ?? env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const endings = (env['PATHEXT'] ?? '').split(';');
  return folders.flatMap((folder) => endings.map((ending) => join(resolve(cwd, folder), program + ending)));
}

/** A new script, or one that was copied without its mode, is there and cannot be run. */
async function whatIsWrong(program: string, places: readonly string[]): Promise<Omit<Problem, 'path'>> {
  const there = (await Promise.all(places.map(isFile))).indexOf(true);
  const file = places[there];
  if (file !== undefined) return { message: `${program} is not executable here`, hint: `chmod +x ${shellWord(file)}` };
  const where = isPath(program) ? `there is no program ${program}` : `no program "${program}" is on the PATH`;
  return { message: `${where} here` };
}

function isPath(program: string): boolean {
  return /[/\\]/.test(program);
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return await isFile(file);
  } catch {
    return false;
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
