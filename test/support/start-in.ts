import { spawn } from 'node:child_process';
import type { Finished, Running } from './run-command.js';

/** Starts a program in a folder, with nothing of the mesh in its environment but what is given. */
export function startIn(folder: string, [program = '', ...args]: string[], env: Record<string, string> = {}): Running {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    child.once('error', reject);
  });
  return { child, output: () => ({ stdout, stderr }), finished };
}

/** The same, to its end, which must be a good one. */
export async function runIn(folder: string, command: string[], env: Record<string, string> = {}): Promise<Finished> {
  const result = await startIn(folder, command, env).finished;
  if (result.code === 0) return result;
  throw new Error(`${command.join(' ')} ended with ${result.code}:\n${result.stdout}${result.stderr}`);
}

const NOT_PASSED_ON =
  /^(MESH|TEMPORAL|VITEST)_|^(NODE_ENV|TEST|VITEST)$|^npm_(package|lifecycle|config_(local_|global_)?prefix)/;

/** Without what the tests and `npm test` set. npm looks into its cache first, and says errors only. */
function environment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !NOT_PASSED_ON.test(name));
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    npm_config_prefer_offline: 'true',
    npm_config_loglevel: 'error',
  };
}
