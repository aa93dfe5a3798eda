import { expect, onTestFinished, test } from 'vitest';
import { failedResult } from '../support/failed-result.js';
import { type HttpTarget, startHttpTarget } from '../support/http-target.js';
import { startTestMesh } from '../support/test-mesh.js';

// Beside an agent that may be at work no other is started, also when its last attempt knows nothing of it.

const EVENT = { id: 'e-1', event: 'PostToolUseFailure', outcome: 'failed' } as const;

async function meshOf(runtime: HttpTarget) {
  const retry = { maxAttempts: 2, initialIntervalMs: 50, maxIntervalMs: 50 };
  const mesh = await startTestMesh({
    rules: {
      rules: [{ id: 'r', trigger: { event: EVENT.event }, actions: [{ type: 'spawn_fallback_agent', retry }] }],
    },
    config: {
      outbound: { privateHosts: ['127.0.0.1'] },
      agents: { default: { http: { url: runtime.url }, fallbacks: ['other'] }, other: { command: ['true'] } },
    },
  });
  onTestFinished(() => mesh.stop());
  return mesh;
}

test('where the runtime is not there at all, the fallback is started', async () => {
  const runtime = await startHttpTarget();
  await runtime.close();
  const mesh = await meshOf(runtime);
  await mesh.report(EVENT);

  expect(await mesh.result('r', EVENT.id)).toMatchObject({
    actions: [
      { status: 'executed', agent: { launcher: 'other' }, launches: [{ launcher: 'default', attempts: 2 }, {}] },
    ],
  });
});

test('where it has gone after it was asked, none is', async () => {
  const runtime = await startHttpTarget();
  const mesh = await meshOf(runtime);
  runtime.answer(() => void runtime.close());
  await mesh.report(EVENT);

  const { actions } = await failedResult(mesh.result('r', EVENT.id));

  expect(runtime.requests).toHaveLength(1);
  expect(actions).toMatchObject([{ reason: expect.stringMatching(/ECONNREFUSED.*may still be at work$/) as string }]);
  expect(actions[0]?.launches).toMatchObject([{ launcher: 'default', status: 'launched', attempts: 2 }]);
});
