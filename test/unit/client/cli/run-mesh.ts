import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { endInput } from '../../../support/run-command.js';

export interface MeshRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface MeshRunOptions {
  cwd: string;
  stdin?: string;
  env?: Record<string, string>;
  /** Hangs up before the command has written anything. */
  closeStdout?: boolean;
}

const MESH = fileURLToPath(new URL('../../../../worker/mesh.mjs', import.meta.url));

/** Runs the `mesh` command as people do: a process of its own, in a folder of its own, with nothing of our environment. */
export async function runMesh(args: string[], { cwd, stdin, env, closeStdout }: MeshRunOptions): Promise<MeshRun> {
  const child = spawn(process.execPath, [MESH, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, ...env },
    stdio: 'pipe',
  });
  endInput(child, stdin ?? '');
  if (closeStdout) child.stdout.destroy();
  const [stdout, stderr, code] = await Promise.all([
    closeStdout ? '' : text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve)),
  ]);
  // The command compiles what was edited since the last build; whether that was so is not what a test is about.
  return { code, stdout, stderr: stderr.replace(/^Compiling …\n( {2}still compiling .*\n)*/, '') };
}
