import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { ROOT } from './paths.js';

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  output(): { stdout: string; stderr: string };
  finished: Promise<Finished>;
}

/** Starts a Node program of this repository in a process group of its own, as a terminal would. */
export function startNode(args: string[], env: Record<string, string>, stdin = ''): Running {
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...cleanEnvironment(), ...env }, detached: true });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  endInput(child, stdin);
  const finished = new Promise<Finished>((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
  return { child, output: () => ({ stdout, stderr }), finished };
}

/** A program that does not read it may be gone by then, which is its right. */
export function endInput({ stdin }: ChildProcessWithoutNullStreams, text: string): void {
  stdin.on('error', () => undefined);
  stdin.end(text);
}

export function runMesh(args: string[], env: Record<string, string> = {}, stdin = ''): Promise<Finished> {
  return startNode(['worker/mesh.mjs', ...args], env, stdin).finished;
}

/** Without what the machine that runs the tests may have set. */
function cleanEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || /^(MESH|TEMPORAL|npm)_/.test(name) ? [] : [[name, value]],
    ),
  );
}
