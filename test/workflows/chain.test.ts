import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { eventually } from '../support/eventually.js';
import { ROOT } from '../support/paths.js';
import { failedResult } from '../support/failed-result.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

let mesh: TestMesh | undefined;

afterEach(async () => {
  await mesh?.stop();
  mesh = undefined;
});

test.each([
  ['with its token', '', [0, 1], 'max chain depth reached (2/2)'],
  ['with its session and no token', withoutToken(), [0, 1], 'max chain depth reached (2/2)'],
  ['with a token that was changed', changedToken(), [0], 'max chain depth reached (2/2): its lineage token is forged'],
])('a chain of agents that fail and say so %s ends at its depth', async (_how, change, depths, reason) => {
  // Fails like what it was started for, and reports that with nothing but `mesh send` and its environment.
  const agent = `
    ${change};
    const send = [${JSON.stringify(join(ROOT, 'worker/mesh.mjs'))}, 'send', '--event', 'PostToolUseFailure',
      '--outcome', 'failed', '--payload', JSON.stringify({ tool_name: 'Bash', session_id: process.env.MESH_AGENT_SESSION })];
    require('node:child_process').execFileSync(process.execPath, send);
    process.exit(1);
  `;
  mesh = await startTestMesh({
    env: { TEMPORAL_ADDRESS: inject('temporalAddress') },
    rules: {
      maxChainDepth: 2,
      defaultCooldownMs: 0,
      defaultDedupWindowMs: 0,
      rules: [{ id: 'r', trigger: { event: 'PostToolUseFailure' }, actions: [FALLBACK_AGENT] }],
    },
    config: { agents: { default: { command: [process.execPath, '-e', agent], inheritEnv: ['TEMPORAL_ADDRESS'] } } },
  });
  const { mesh: sdk, tenant, client, status } = mesh;

  await mesh.report({ id: 'root', event: 'PostToolUseFailure' });
  const refused = await eventually('end of the chain', async () => {
    const verdicts = await sdk.verdicts(undefined, tenant);
    return verdicts.find((verdict) => verdict.verdict === 'skip');
  });

  expect(refused).toMatchObject({ code: 'max-depth', reason, depth: 2 });
  const fired = (await sdk.verdicts(undefined, tenant)).filter(({ verdict }) => verdict === 'fire');
  expect(fired.map(({ depth }) => depth)).toEqual(depths);
  const { length } = depths;
  expect((await status()).chains).toMatchObject([{ root: 'root', remediations: length, deepest: length - 1 }]);
  for (const { remediation = '' } of fired) {
    const { actions } = await failedResult(client.workflow.getHandle(remediation).result());
    expect(actions).toMatchObject([{ status: 'failed', reason: 'Fallback agent ended with exit code 1' }]);
  }
  const details = await client.workflow.getHandle(fired.at(-1)?.remediation ?? '').describe();
  const causedBy = `**Caused by:** \`remediation/${tenant}/r/root\``;
  expect((await details.staticDetails())?.includes(causedBy)).toBe(length > 1);
});

const FALLBACK_AGENT = { type: 'spawn_fallback_agent', retry: { maxAttempts: 1 } } as const;

/** What a careless runtime does: nothing of what it was given goes along but the session it runs under. */
function withoutToken(): string {
  return 'for (const name of Object.keys(process.env)) if (/^MESH_(LINEAGE|DEPTH|ROOT_EVENT|REMEDIATION)$/.test(name)) delete process.env[name]';
}

/** One letter of what is signed. */
function changedToken(): string {
  return "process.env.MESH_LINEAGE = process.env.MESH_LINEAGE.replace(/\\.(.)/, (_, one) => '.' + (one === 'A' ? 'B' : 'A'))";
}

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
