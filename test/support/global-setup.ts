import { mkdtemp, rm } from 'node:fs/promises';
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

/** One Temporal server for all tests that do not restart theirs; they keep apart by tenant and task queue. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const binary = await findTemporal({ env: process.env, say: (line) => process.stderr.write(`${line}\n`) });
  const folder = await mkdtemp(join(tmpdir(), 'mesh-test-server-'));
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
