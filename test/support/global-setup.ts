import { access, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { freePort, startDevServer } from '#worker/dev/dev-server.js';
import { findTemporal } from '#worker/dev/temporal-binary.js';

declare module 'vitest' {
  export interface ProvidedContext {
    temporalAddress: string;
    temporalBinary: string;
  }
}

/** A disk that stalls, as those of shared machines do, makes the server say that there is no such namespace. */
async function quickFolder(): Promise<string> {
  const memory = '/dev/shm';
  try {
    await access(memory, constants.W_OK);
    const { bavail, bsize } = await statfs(memory);
    return bavail * bsize > 2e9 ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** One Temporal server for all tests that do not restart theirs; they keep apart by tenant and task queue. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const binary = await findTemporal({ env: process.env, say: (line) => process.stderr.write(`${line}\n`) });
  const folder = await mkdtemp(join(await quickFolder(), 'mesh-test-server-'));
  const server = await startDevServer({
    binary,
    port: await freePort(),
    databaseFile: join(folder, 'temporal.db'),
    namespace: 'default',
  });
  project.provide('temporalAddress', server.address);
  project.provide('temporalBinary', binary);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
