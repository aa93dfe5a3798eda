import { MeshError } from '../errors.js';
import type { Mesh } from '../mesh.js';
import { CliError } from './cli-error.js';
import { EXIT_CODES } from './exit-codes.js';
import { withWorker } from './with-worker.js';

/** Connects and asks the watch of a tenant, which may not be there. */
export function withWatch<T>(work: (mesh: Mesh) => Promise<T>): Promise<T> {
  return withWorker(async (mesh) => {
    try {
      return await work(mesh);
    } catch (error) {
      if (!(error instanceof MeshError) || error.code !== 'not-found') throw error;
      const fix = 'report one with `npx mesh send`, or give another --tenant';
      throw new CliError(`${error.message}: ${fix}`, EXIT_CODES.refused, { cause: error });
    }
  });
}
