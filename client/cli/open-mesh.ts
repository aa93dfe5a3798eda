import { MeshError } from '../errors.js';
import type { Mesh } from '../mesh.js';
import { CliError } from './cli-error.js';
import { EXIT_CODES } from './exit-codes.js';
import { knownTenants } from './known-tenants.js';

/** Connects, does the work, and disconnects whatever came of it. */
export async function withMesh<T>(work: (mesh: Mesh) => Promise<T>): Promise<T> {
  // Loaded only here: most of the time of a command that needs no server would go into the Temporal client.
  const { connectMesh } = await import('../mesh.js');
  const mesh = await connectMesh({ env: process.env, source: 'cli', isForOthers: true });
  try {
    return await work(mesh);
  } finally {
    await mesh.close();
  }
}

/** Connects and asks what a worker has to answer. */
export function withWorker<T>(work: (mesh: Mesh) => Promise<T>): Promise<T> {
  return withMesh((mesh) => whileWaiting(() => work(mesh)));
}

/** Connects and asks the watch of a tenant, which may not be there. */
export function withWatch<T>(asked: string, work: (mesh: Mesh) => Promise<T>): Promise<T> {
  return withWorker(async (mesh) => {
    try {
      return await work(mesh);
    } catch (error) {
      if (!(error instanceof MeshError) || error.code !== 'not-found') throw error;
      const others = await knownTenants(mesh, asked);
      const fix = 'report one with `npx mesh send`, or give another --tenant';
      const lines = [`${error.message}: ${fix}`, ...(others === '' ? [] : [others])];
      throw new CliError(lines.join('\n'), EXIT_CODES.refused, { cause: error });
    }
  });
}

/** What a person takes for a command that hangs. */
const SILENT_MS = 2_000;

interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Does what a worker has to answer. Where none runs it takes ten seconds to find that out, so a person is told what it waits
 * for; scripts are not.
 */
export async function whileWaiting<T>(
  work: () => Promise<T>,
  output: Output = process.stderr,
  silentMs = SILENT_MS,
): Promise<T> {
  if (!output.isTTY) return work();
  const timer = setTimeout(() => output.write('waiting for an answer …\n'), silentMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
