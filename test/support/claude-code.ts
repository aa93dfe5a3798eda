import { execFile, spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Finished } from './run-command.js';

/** Pinned, so that a release of others breaks nothing here; set CLAUDE_CODE_VERSION to try another one. */
export const CLAUDE_CODE_VERSION = process.env['CLAUDE_CODE_VERSION'] ?? '2.1.197';

/** The program of the real client, from npm: installed once for this machine's user and version, 240 MB. */
export async function installClaudeCode(): Promise<string> {
  const folder = join(tmpdir(), `mesh-claude-code-${CLAUDE_CODE_VERSION}`);
  const known = await findProgram(folder);
  if (known !== undefined) return known;

  // Beside its place, then renamed: an install that was cut off, or a second one at the same time, leaves no half of it.
  const fresh = await mkdtemp(`${folder}-`);
  const what = `@anthropic-ai/claude-code@${CLAUDE_CODE_VERSION}`;
  await promisify(execFile)('npm', ['install', '--prefix', fresh, '--ignore-scripts', '--no-audit', '--no-fund', what]);
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  const program = await findProgram(folder);
  if (program === undefined) throw new Error(`${what} has no program for ${process.platform} ${process.arch}`);
  return program;
}

/** npm takes the one package, of those with a native program each, that fits the platform. */
async function findProgram(folder: string): Promise<string | undefined> {
  const scope = join(folder, 'node_modules', '@anthropic-ai');
  for (const name of await readdir(scope).catch(() => [])) {
    const program = join(scope, name, process.platform === 'win32' ? 'claude.exe' : 'claude');
    const isThere = await access(program).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
  }
  return undefined;
}

export interface ClaudeRun {
  program: string;
  /** Gets the folders `home` and `project`. */
  folder: string;
  modelUrl: string;
  prompt: string;
  settings: string;
  args?: string[];
  env?: Record<string, string>;
}

/** Nothing of this machine's user, and nobody to talk to but the model. */
export function claudeEnvironment(home: string, modelUrl: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    ANTHROPIC_BASE_URL: modelUrl,
    // A word that says there is none: a key in plain is refused where this stands in a mesh.yaml.
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
    NO_PROXY: '127.0.0.1',
  };
}

/** One prompt from start to end, as a script would run it. */
export async function runClaude({
  program,
  folder,
  modelUrl,
  prompt,
  settings,
  args,
  env,
}: ClaudeRun): Promise<Finished> {
  const [home, project] = [join(folder, 'home'), join(folder, 'project')];
  await mkdir(home, { recursive: true });
  await mkdir(project, { recursive: true });
  const child = spawn(program, ['-p', prompt, '--settings', settings, ...(args ?? [])], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A run takes a second.
    timeout: 60_000,
    env: { ...claudeEnvironment(home, modelUrl), ...env },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, stdout, stderr };
}
