import { MeshError } from '../errors.js';
import type { Mesh } from '../mesh.js';
import { CliError } from './cli-error.js';
import { EXIT_CODES } from './exit-codes.js';
import { findRun } from './find-run.js';
import { tenantFrom } from './tenant-option.js';
import { meshCommand } from './terminal/shell-word.js';
import { withMesh } from './with-mesh.js';

export const RUN_ARGUMENT = ['<run>', 'workflow id of a remediation, or the id of an event that started one'] as const;

/** Connects, finds out which remediation is meant, and does something with it. */
export async function withRun<T>(
  run: string,
  options: { tenant?: string },
  command: 'show' | 'abort' | 'retry',
  work: (mesh: Mesh, id: string) => Promise<T>,
): Promise<T> {
  const tenant = tenantFrom(options, process.env);
  return withMesh(async (mesh) => {
    const id = await findRun(mesh, run, tenant, command);
    try {
      return await work(mesh, id);
    } catch (error) {
      throw withFix(error, id);
    }
  });
}

function withFix(error: unknown, id: string): unknown {
  if (!(error instanceof MeshError)) return error;
  if (error.code === 'not-found') {
    return new CliError(`${error.message}: \`npx mesh runs\` lists those that there are`, EXIT_CODES.refused, {
      cause: error,
    });
  }
  if (error.code === 'conflict') {
    return new CliError(`${error.message}: \`${meshCommand('show', [id])}\` tells how it stands`, EXIT_CODES.refused, {
      cause: error,
    });
  }
  return error;
}
