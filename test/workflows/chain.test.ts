import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { eventually } from '../support/eventually.js';
import { ROOT } from '../support/paths.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

let mesh: TestMesh | undefined;

afterEach(async () => {
  await mesh?.stop();
  mesh = undefined;
});

test('an agent that reports its own failure goes one step deeper each time, until the depth ends the chain', async () => {
  // The agent fails like what it was started for, and reports that with nothing but `mesh send` and its environment.
  const report = ['send', '--event', 'PostToolUseFailure', '--outcome', 'failed', '--payload', '{"tool_name":"Bash"}'];
  mesh = await startTestMesh({
    env: { TEMPORAL_ADDRESS: inject('temporalAddress') },
    rules: {
      maxChainDepth: 2,
      defaultCooldownMs: 0,
      defaultDedupWindowMs: 0,
      rules: [{ id: 'r', trigger: { event: 'PostToolUseFailure' }, actions: [{ type: 'spawn_fallback_agent' }] }],
    },
    config: {
      agents: {
        default: {
          command: [process.execPath, join(ROOT, 'client/cli/mesh.mjs'), ...report],
          inheritEnv: ['TEMPORAL_ADDRESS'],
        },
      },
    },
  });
  const { mesh: sdk, tenant, client, status } = mesh;

  await mesh.report({ id: 'root', event: 'PostToolUseFailure' });
  const refused = await eventually('end of the chain', async () => {
    const verdicts = await sdk.verdicts(undefined, tenant);
    return verdicts.find((verdict) => verdict.verdict === 'skip');
  });

  expect(refused).toMatchObject({ code: 'max-depth', reason: 'max chain depth reached (2/2)', depth: 2 });
  const fired = (await sdk.verdicts(undefined, tenant)).filter(({ verdict }) => verdict === 'fire');
  expect(fired.map(({ depth }) => depth)).toEqual([0, 1]);
  expect((await status()).chains).toMatchObject([{ root: 'root', remediations: 2, deepest: 1 }]);
  const second = await client.workflow.getHandle(fired[1]?.remediation ?? '').describe();
  expect(await second.staticDetails()).toContain(`**Caused by:** \`remediation/${tenant}/r/root\``);
});

test('the shipped example agent prints what it was asked, and succeeds', async () => {
  mesh = await startTestMesh({
    rules: parse(await readFile(join(ROOT, 'config/rules.yaml'), 'utf8')) as unknown,
    config: {
      agents: { default: { command: [process.execPath, join(ROOT, 'config/examples/fallback-agent.mjs')] } },
    },
  });

  const [id = ''] = await mesh.report({
    event: 'PostToolUseFailure',
    payload: { tool_name: 'Bash', error: 'Command timed out' },
  });
  const { actions } = await mesh.result('retry-failed-tool', id);

  expect(actions[0]).toMatchObject({ action: 'fallback-agent', status: 'executed' });
  expect(actions[0]?.detail).toContain('Started by rule retry-failed-tool for PostToolUseFailure (tool: Bash)');
  expect(actions[0]?.detail).toContain('Failure details: Command timed out');
});
