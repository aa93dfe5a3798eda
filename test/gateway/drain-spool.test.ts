import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createAccess, type KnownToken } from '#client/gateway/access.js';
import { hashToken, type SpoolEntry, writeEntry } from '#client/spool/entries.js';
import { createRedactor } from '#contract/text/redact/redact.js';
import { countSpooled, drainSpool, spoolFolder } from '#worker/drain-spool.js';
import { eventually } from '../support/eventually.js';
import { createFakeMesh } from '../support/fake-mesh.js';
import { tempFolder } from '../support/temp-folder.js';
import { aToken } from '../support/test-gateway.js';

async function drainWith(tokens: KnownToken[], entries: Omit<SpoolEntry, 'v'>[]) {
  const home = tempFolder();
  for (const entry of entries) await writeEntry(spoolFolder(home), { v: 1, ...entry });
  const mesh = createFakeMesh();
  const policy = {
    access: createAccess(tokens),
    allowedOrigins: new Set<string>(),
    allowedHosts: new Set<string>(),
    eventsPerSecond: 1,
    redactor: createRedactor({ keys: ['customer'] }),
  };
  const log: string[] = [];
  const draining = drainSpool({ home, mesh, policy: { current: async () => policy }, log: (line) => log.push(line) });
  onTestFinished(() => draining.stop());
  return { home, mesh, log, policy };
}

const event = (id: string) => ({ event: 'X', id, payload: { customer: 'Ann', note: 'n' } });

test('without tokens everything is sent, as it is, once more without secrets', async () => {
  const { home, mesh } = await drainWith(
    [],
    [{ event: event('a') }, { event: event('b'), tokenHash: hashToken('old') }],
  );

  await eventually('an empty spool', async () => ((await countSpooled(home)) === 0 ? true : undefined));
  expect(mesh.stored.map(({ id, tenant }) => [id, tenant])).toEqual([
    ['a', 'default'],
    ['b', 'default'],
  ]);
  expect(JSON.stringify(mesh.stored)).not.toContain('Ann');
});

test('what was to be shown with a token belongs to its tenant; what nobody knows waits', async () => {
  const acme = aToken('acme', ['report']);
  const reader = aToken('reader', ['read']);
  const { home, mesh, policy } = await drainWith(
    [acme.known, reader.known],
    [
      { event: event('of-acme'), tokenHash: hashToken(acme.token) },
      { event: { ...event('of-another'), tenant: 'rival' }, tokenHash: hashToken(acme.token) },
      { event: event('of-a-reader'), tokenHash: hashToken(reader.token) },
      { event: event('of-nobody'), tokenHash: hashToken('gone') },
      { event: { ...event('without'), tenant: 'local' } },
    ],
  );

  await eventually('three left', async () => ((await countSpooled(home)) === 3 ? true : undefined));
  expect(mesh.stored.map(({ id, tenant }) => [id, tenant])).toEqual([
    ['of-acme', 'acme'],
    ['without', 'local'],
  ]);

  policy.access = createAccess([acme.known, { ...reader.known, sha256: [hashToken('gone')], roles: ['report'] }]);
  await eventually('two left', async () => ((await countSpooled(home)) === 2 ? true : undefined));
  expect(mesh.stored.at(-1)).toMatchObject({ id: 'of-nobody', tenant: 'reader' });
});

test('what will never be taken is put aside, and holds up nothing', async () => {
  const { home, mesh, log } = await drainWith([], [{ event: { event: '1' } }, { event: event('good') }]);

  await eventually('an empty spool', async () => ((await countSpooled(home)) === 0 ? true : undefined));
  expect(mesh.stored.map(({ id }) => id)).toEqual(['good']);
  expect(readdirSync(spoolFolder(home), { recursive: true }).length).toBeGreaterThan(0);
  expect(log.join('\n')).toContain('expected an event name');
});

test('a configuration that becomes usable in the middle of a round does not change the order', async () => {
  const home = tempFolder();
  const ids = Array.from({ length: 20 }, (_, index) => `e-${index}`);
  for (const id of ids) await writeEntry(spoolFolder(home), { v: 1, event: event(id) });
  const mesh = createFakeMesh();
  const usable = {
    access: createAccess([]),
    allowedOrigins: new Set<string>(),
    allowedHosts: new Set<string>(),
    eventsPerSecond: 1,
    redactor: createRedactor(),
  };
  let looks = 0;
  const current = async () => (++looks === 1 ? { ...usable, unusable: 'no file' } : usable);
  const draining = drainSpool({ home, mesh, policy: { current }, log: () => undefined });
  onTestFinished(() => draining.stop());

  await eventually('an empty spool', async () => ((await countSpooled(home)) === 0 ? true : undefined));

  expect(mesh.stored.map(({ id }) => id)).toEqual(ids);
});
