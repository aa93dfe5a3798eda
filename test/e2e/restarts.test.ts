import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { type DevServerOptions, freePort, startDevServer } from '#worker/dev/dev-server.js';
import { startBridgeServer } from '../support/bridge-server.js';
import { eventually } from '../support/eventually.js';
import { startTestMesh } from '../support/test-mesh.js';

// What kills of the worker lead to is in kills.test.ts.

const COOLDOWN_MS = 25_000;
const AFTER_KILL_MS = 60_000;

test(
  'a server killed during a cooldown goes on with it: not a moment shorter',
  { timeout: 120_000 },
  async ({ onTestFinished }) => {
    const folder = await mkdtemp(join(tmpdir(), 'mesh-restarts-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const serverOptions: DevServerOptions = {
      binary: inject('temporalBinary'),
      port: await freePort(),
      databaseFile: join(folder, 'temporal.db'),
      namespace: 'default',
    };
    let server = await startDevServer(serverOptions);
    onTestFinished(() => server.stop());
    const bridge = await startBridgeServer();
    onTestFinished(() => bridge.close());
    const mesh = await startTestMesh({
      address: server.address,
      rules: {
        rules: [
          {
            id: 'r',
            trigger: { event: 'TaskCompleted' },
            cooldownMs: COOLDOWN_MS,
            dedupWindowMs: 0,
            actions: [{ type: 'warm_remote_capacity', id: 'warm' }],
          },
        ],
      },
      config: bridge.config,
    });
    onTestFinished(() => mesh.stop());
    await mesh.report({ id: 'e-1' });
    await mesh.result('r', 'e-1');
    const [fired] = await mesh.verdicts('e-1');
    const firedAt = fired?.at ?? 0;

    process.kill(server.pid, 'SIGKILL');
    await eventually('end of the server', () => !isAlive(server.pid) || undefined);
    server = await startDevServer(serverOptions);
    await eventually('status', () => mesh.status(), AFTER_KILL_MS);
    await mesh.report({ id: 'e-2' });
    expect(await mesh.judged('e-2')).toEqual(['r/warm cooldown']);

    let attempt = 2;
    let lastRefusedAt = 0;
    const firedAgainAt = await eventually(
      'second fire',
      async () => {
        const id = `e-${++attempt}`;
        await mesh.report({ id });
        await mesh.judged(id);
        const [verdict] = await mesh.verdicts(id);
        if (verdict?.verdict === 'fire') return verdict.at;
        lastRefusedAt = verdict?.at ?? 0;
        return undefined;
      },
      AFTER_KILL_MS,
    );

    expect(firedAgainAt - firedAt).toBeGreaterThanOrEqual(COOLDOWN_MS);
    // Nor longer: what was judged after it was not refused.
    expect(lastRefusedAt - firedAt).toBeLessThan(COOLDOWN_MS);
    await mesh.result('r', `e-${attempt}`);
    expect(bridge.requests).toHaveLength(2);
  },
);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
