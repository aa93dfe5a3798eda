import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { EventInput } from '../../client/mesh.js';
import { signLineage } from '../../rules/lineage/sign.js';
import { eventually } from '../support/eventually.js';
import { tempFolder } from '../support/temp-folder.js';
import { startTestMesh, type TestMesh } from '../support/test-mesh.js';

let mesh: TestMesh | undefined;

afterEach(async () => {
  await mesh?.stop();
  mesh = undefined;
});

/** What the mesh gave an agent along. */
interface Given {
  lineage: string;
  session: string;
}

/** A rule that starts an agent for every failure, and an agent that notes what it was given, and ends. */
async function start(file: Record<string, unknown>, rule: Record<string, unknown> = {}) {
  const notes = join(tempFolder(), 'agents.jsonl');
  const note = `require('fs').appendFileSync(process.argv[1], JSON.stringify({
    lineage: process.env.MESH_LINEAGE, session: process.env.MESH_AGENT_SESSION }) + '\\n')`;
  mesh = await startTestMesh({
    rules: {
      defaultCooldownMs: 0,
      defaultDedupWindowMs: 0,
      ...file,
      rules: [{ id: 'r', trigger: { event: 'Broke' }, actions: [{ type: 'spawn_fallback_agent', id: 'a' }], ...rule }],
    },
    // So often that each event meets another run of the watch.
    watch: { maxHistoryEvents: 10 },
    config: { agents: { default: { command: [process.execPath, '-e', note, notes] } } },
  });
  const started = mesh;
  return {
    ...started,
    async reportBroken(id: string, event: Partial<EventInput> = {}) {
      await started.report({ id, event: 'Broke', ...event });
      return started.judged(id);
    },
    agent: (number: number) =>
      eventually(`agent ${number}`, async () => {
        const line = (await readFile(notes, 'utf8')).split('\n')[number - 1];
        return line ? (JSON.parse(line) as Given) : undefined;
      }),
    async reason(id: string) {
      const [verdict] = await started.verdicts(id);
      return verdict && 'reason' in verdict ? verdict.reason : undefined;
    },
  };
}

async function restart({ stopWorker, startWorker }: TestMesh): Promise<void> {
  await stopWorker();
  await startWorker();
}

describe.each([
  ['', async () => undefined],
  [', with a restart of the worker before each event', restart],
])('a chain ends at the configured depth%s', (_when, between) => {
  test.each<[string, (given: Given) => Partial<EventInput>]>([
    ['whatever its agents claim beside their token', ({ lineage }) => ({ lineage: { token: lineage, root: 'lie' } })],
    ['when all they bring back is their session', ({ session }) => ({ session })],
  ])('%s', async (_how, broughtBack) => {
    const { reportBroken, agent, reason, mesh: sdk, tenant } = await start({ maxChainDepth: 2 });
    const first = `remediation/${tenant}/r/e-0`;

    expect(await reportBroken('e-0')).toEqual(['r/a fire']);
    const one = await agent(1);
    await between(mesh!);
    expect(await reportBroken('e-1', broughtBack(one))).toEqual(['r/a fire']);
    const two = await agent(2);
    await between(mesh!);
    expect(await reportBroken('e-2', broughtBack(two))).toEqual(['max-depth']);

    expect(await reason('e-2')).toBe('max chain depth reached (2/2)');
    // What goes into a remediation is what was found, and no token.
    const { reported } = await sdk.remediation(`remediation/${tenant}/r/e-1`);
    expect(reported).toMatchObject({ depth: 1 });
    expect(reported.lineage).toEqual({ root: 'e-0', parent: first });
    const { chains, history } = await sdk.status(tenant);
    expect(history.runs).toBeGreaterThan(1);
    expect(chains).toMatchObject([{ root: 'e-0', remediations: 2, deepest: 1, spawns: 2 }]);
  });

  test('at once when a token is forged', async () => {
    const { reportBroken, agent, reason, tenant } = await start({ maxChainDepth: 2 });
    await reportBroken('e-0');
    await agent(1);
    await between(mesh!);
    const parent = `remediation/${tenant}/r/e-0`;
    const claims = { root: 'e-0', depth: 1, path: ['r'], tenant, parent, expiresAt: Date.now() + 60_000 };

    const token = signLineage(claims, 'a key of somebody else, who guesses');

    expect(await reportBroken('e-1', { lineage: { token } })).toEqual(['max-depth']);
    expect(await reason('e-1')).toBe('max chain depth reached (2/2): its lineage token is forged');
  });
});

test('agents of one first event are limited, also over a restart; other actions go on', async () => {
  const { reportBroken, reason } = await start(
    { maxChainDepth: 10, maxDescendants: 2 },
    {
      actions: [
        { type: 'spawn_fallback_agent', id: 'a' },
        { type: 'notify_team', id: 'tell' },
      ],
    },
  );
  const lineage = { root: 'e-0' };
  expect(await reportBroken('e-0')).toEqual(['r/a fire', 'r/tell fire']);
  expect(await reportBroken('e-1', { depth: 1, lineage })).toEqual(['r/a fire', 'r/tell fire']);
  await restart(mesh!);

  expect(await reportBroken('e-2', { depth: 1, lineage })).toEqual(['r/a descendants', 'r/tell fire']);
  expect(await reason('e-2')).toBe('2 agents stem from event e-0 already (maxDescendants 2)');
  expect(await reportBroken('other')).toEqual(['r/a fire', 'r/tell fire']);
});

test('no more than three agents of one first event are started within ten seconds', async () => {
  const { report, judged, reason } = await start({ maxChainDepth: 10 });
  const ids = ['e-1', 'e-2', 'e-3'];

  await report(
    { id: 'e-0', event: 'Broke' },
    ...ids.map((id) => ({ id, event: 'Broke', depth: 1, lineage: { root: 'e-0' } })),
  );

  expect(await Promise.all(['e-0', ...ids].map(judged))).toEqual([
    ['r/a fire'],
    ['r/a fire'],
    ['r/a fire'],
    ['r/a spawn-rate'],
  ]);
  expect(await reason('e-3')).toBe('3 agents were started for event e-0 in the last 10 s');
});
