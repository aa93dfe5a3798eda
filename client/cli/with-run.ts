import { isNoticeId } from '#contract/ids.js';
import { MeshError } from '../errors.js';
import type { Mesh } from '../mesh.js';
import { CliError } from './cli-error.js';
import { EXIT_CODES } from './exit-codes.js';
import { findRun } from './find-run.js';
import { tenantFrom } from './tenant-option.js';
import { meshCommand } from './terminal/shell-word.js';
import { withWorker } from './open-mesh.js';

export const RUN_ARGUMENT = ['<run>', 'workflow id of a remediation, or the id of an event that started one'] as const;
export const RETRIED_ARGUMENT = ['<run>', `${RUN_ARGUMENT[1]}; or that of a message in \`mesh dead\``] as const;

/** Connects, finds out which remediation is meant, and does something with it. */
export async function withRun<T>(
  run: string,
  options: { tenant?: string },
  command: 'show' | 'abort' | 'retry',
  work: (mesh: Mesh, id: string) => Promise<T>,
): Promise<T> {
  const tenant = tenantFrom(options, process.env);
  return withWorker(async (mesh) => {
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
  const isNotice = isNoticeId(id);
  if (error.code === 'not-found') {
    const command = isNotice ? 'npx mesh dead' : 'npx mesh runs';
    return new CliError(`${error.message}: \`${command}\` lists those that there are`, EXIT_CODES.refused, {
      cause: error,
    });
  }
  if (error.code === 'conflict') {
    const where = isNotice ? 'its page in the Temporal UI' : `\`${meshCommand('show', [id])}\``;
    return new CliError(`${error.message}: ${where} tells how it stands`, EXIT_CODES.refused, { cause: error });
  }
  return error;
}
