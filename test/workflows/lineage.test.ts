import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { EventInput } from '#client/mesh.js';
import type { LineageClaims } from '#rules/lineage/claims.js';
import { signLineage } from '#rules/lineage/sign.js';
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

const AGENT = { type: 'spawn_fallback_agent', id: 'a', retry: { maxAttempts: 1 } } as const;

/** A rule that starts an agent for every failure, and an agent that notes what it was given, and fails as well. */
async function start(
  file: Record<string, unknown>,
  rule: Record<string, unknown> = {},
  config: Record<string, unknown> = {},
) {
  const notes = join(tempFolder(), 'agents.jsonl');
  const note = `require('fs').appendFileSync(process.argv[1], JSON.stringify({
    lineage: process.env.MESH_LINEAGE, session: process.env.MESH_AGENT_SESSION }) + '\\n'); process.exit(1)`;
  mesh = await startTestMesh({
    rules: {
      defaultCooldownMs: 0,
      defaultDedupWindowMs: 0,
      ...file,
      rules: [{ id: 'r', trigger: { event: 'Broke' }, actions: [AGENT], ...rule }],
    },
    // So often that each event meets another run of the watch.
    watch: { maxHistoryEvents: 10 },
    config: { agents: { default: { command: [process.execPath, '-e', note, notes] } }, ...config },
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
  ['', () => Promise.resolve()],
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
    const { reported, progress } = await eventually('end of the second agent', async () => {
      const found = await sdk.remediation(`remediation/${tenant}/r/e-1`);
      return found.outcome === 'failed' ? found : undefined;
    });
    expect(progress?.actions).toMatchObject([{ reason: 'Fallback agent ended with exit code 1' }]);
    expect(reported).toMatchObject({ depth: 1 });
    expect(reported.lineage).toEqual({ root: 'e-0', parent: first });
    const { chains, history } = await sdk.status(tenant);
    expect(history.runs).toBeGreaterThan(1);
    expect(chains).toMatchObject([{ root: 'e-0', remediations: 2, deepest: 1, spawns: 2 }]);
  });

  test.each<[string, (given: Given) => Partial<EventInput>]>([
    ['with their token', ({ lineage }) => ({ lineage: { token: lineage } })],
    ['with their session only', ({ session }) => ({ session })],
  ])('which may be another than the default: 3, %s', async (_how, broughtBack) => {
    const { reportBroken, agent, reason } = await start({ maxChainDepth: 3 });

    expect(await reportBroken('e-0')).toEqual(['r/a fire']);
    for (const number of [1, 2]) {
      const given = await agent(number);
      await between(mesh!);
      expect(await reportBroken(`e-${number}`, broughtBack(given))).toEqual(['r/a fire']);
    }
    const last = await agent(3);
    await between(mesh!);

    expect(await reportBroken('e-3', broughtBack(last))).toEqual(['max-depth']);
    expect(await reason('e-3')).toBe('max chain depth reached (3/3)');
  });

  test('at once when a token is forged', () =>
    expectRefused(between, 'is forged', (claims) => signLineage(claims, 'a key of somebody else, who guesses')));
});

test("so does one with another tenant's token", () =>
  expectRefused(
    () => Promise.resolve(),
    'is of another tenant',
    (claims, key) => signLineage({ ...claims, tenant: `${claims.tenant}-2` }, key),
  ));

test('so does one with a token that is too old', () =>
  expectRefused(
    () => Promise.resolve(),
    'has expired',
    (claims, key) => signLineage({ ...claims, expiresAt: Date.now() - 1 }, key),
  ));

/** What an agent reports with such a token counts as deep as can be. */
async function expectRefused(
  between: (mesh: TestMesh) => Promise<void>,
  why: string,
  tokenOf: (claims: LineageClaims, key: string) => string,
): Promise<void> {
  const { reportBroken, agent, reason, tenant, folder } = await start({ maxChainDepth: 2 });
  await reportBroken('e-0');
  await agent(1);
  await between(mesh!);
  const parent = `remediation/${tenant}/r/e-0`;
  const claims = { root: 'e-0', depth: 1, path: ['r'], tenant, parent, expiresAt: Date.now() + 60_000 };
  const key = await readFile(join(folder, 'home', 'lineage.key'), 'utf8');

  const token = tokenOf(claims, key.trim());

  expect(await reportBroken('e-1', { lineage: { token } })).toEqual(['max-depth']);
  expect(await reason('e-1')).toBe(`max chain depth reached (2/2): its lineage token ${why}`);
}

test('agents of one first event are limited, also over a restart; other actions go on', async () => {
  const { reportBroken, reason } = await start(
    { maxChainDepth: 10, maxDescendants: 2 },
    {
      actions: [AGENT, { type: 'notify_team', id: 'tell' }],
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

test('whoever is to be woken when the agent fails is woken when a limit lets none start, and reads why', async () => {
  const inboxes = tempFolder();
  const ops = { members: [{ name: 'lead' }], channels: [{ type: 'inbox', folder: inboxes }] };
  const { reportBroken, result } = await start(
    { maxChainDepth: 10, maxDescendants: 1 },
    {
      actions: [
        { ...AGENT, await: 'finished' },
        { type: 'notify_team', id: 'praise', onlyIf: 'success', teamName: 'ops' },
        { type: 'notify_team', id: 'wake', onlyIf: 'failed', teamName: 'ops' },
      ],
    },
    { teams: { ops } },
  );
  await reportBroken('e-0');

  const judged = await reportBroken('e-1', { depth: 1, lineage: { root: 'e-0' } });

  expect(judged).toEqual(['r/a descendants', 'r/praise fire', 'r/wake fire']);
  const why = '1 agents stem from event e-0 already (maxDescendants 1)';
  expect(await result('r', 'e-1')).toMatchObject({
    outcome: 'executed',
    actions: [
      { action: 'a', status: 'skipped', reason: why, attempts: 0 },
      { action: 'praise', status: 'skipped', reason: 'runs only if a succeeds, and a was skipped' },
      { action: 'wake', status: 'executed' },
    ],
  });
  const inbox = await readFile(join(inboxes, 'ops', 'inboxes', 'lead.json'), 'utf8');
  const said = (JSON.parse(inbox) as { text: string }[]).map(({ text }) => text).find((text) => text.includes(why));
  expect(said).toContain('The mesh has tried nothing. It starts nothing more: it is yours now.');
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
