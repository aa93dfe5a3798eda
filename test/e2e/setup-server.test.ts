import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { runMesh, startNode } from '../support/run-command.js';

const run = promisify(execFile);

test(
  'a server that has not the namespace, or not the search attributes, is refused with the command that mends it',
  { timeout: 90_000 },
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'mesh-setup-'));
    const address = inject('temporalAddress');
    const namespace = `n-${randomBytes(4).toString('hex')}`;
    const env = { MESH_HOME: home, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
    const nowhere = `Temporal at ${address} has no namespace ${namespace}: check TEMPORAL_NAMESPACE, or make it: `;
    const asked = [
      runMesh(['status'], env),
      runMesh(['setup-server'], env),
      startNode(['worker/bootstrap.mjs', 'start'], env).finished,
    ];
    for (const { code, stderr } of await Promise.all(asked)) {
      expect(code).not.toBe(0);
      expect(stderr).toContain(nowhere);
    }
    await run(inject('temporalBinary'), [
      'operator',
      'namespace',
      'create',
      '--address',
      address,
      '--namespace',
      namespace,
    ]);

    const refused = await startNode(['worker/bootstrap.mjs', 'start'], env).finished;
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`namespace ${namespace} at ${address} lacks the search attributes MeshTenant`);
    expect(refused.stderr).toContain('Register them once: npx mesh setup-server');

    const setUp = await runMesh(['setup-server'], env);
    expect(setUp).toMatchObject({ code: 0, stderr: '' });
    expect(setUp.stdout).toContain('now has MeshTenant, MeshRule, MeshEvent');
    const again = await runMesh(['setup-server'], env);
    expect(again.stdout).toContain('has all search attributes already');

    const worker = startNode(['worker/bootstrap.mjs', 'start'], env);
    await eventually('banner', () => (worker.output().stdout.includes('Ctrl-C') ? true : undefined), 30_000);
    expect(worker.output().stdout).toContain(`${address}, namespace ${namespace}`);
    process.kill(-(worker.child.pid ?? 0), 'SIGINT');
    expect((await worker.finished).code).toBe(0);
    await rm(home, { recursive: true, force: true });
  },
);
