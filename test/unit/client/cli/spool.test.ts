import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { takeLock } from '#adapters/files/lock.js';
import { lockOf } from '#client/spool/drain.js';
import { hashToken, writeEntry } from '#client/spool/entries.js';
import { refuse } from '#client/spool/refused.js';
import { freePort } from '#worker/dev/dev-server.js';
import { startGatewayStub } from '../../../support/gateway-stub.js';
import { runMesh } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';

const NO_TEMPORAL = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

describe('mesh spool', () => {
  test('of an empty spool says so', async () => {
    const home = tempFolder();

    expect(await runMesh(['spool', '--home', home])).toEqual({
      code: 0,
      stdout: `Spool ${join(home, 'spool')}\n  waiting  0 events\n  refused  0 events\n  dropped  0 events\n`,
      stderr: '',
    });
  });

  test('shows how many wait, since when, what was refused and why, and what was dropped', async () => {
    const home = tempFolder();
    const folder = join(home, 'spool');
    await writeEntry(folder, { v: 1, event: { event: 'Stop', id: 'e-1' } }, Date.now() - 3 * 60_000);
    await writeEntry(folder, { v: 1, event: { event: 'Stop', id: 'e-2' } });
    await refuse(folder, { v: 1, event: { event: 'Stop', id: 'e-3' } }, 'e-3: 400 invalid\u001b[31m', () => undefined);
    const dropped = { at: '2026-01-01T00:00:00.000Z', count: 7, bytes: 2_048, why: 'older than 7 days' };
    writeFileSync(join(folder, 'dropped.jsonl'), `${JSON.stringify(dropped)}\n`);

    const text = await runMesh(['spool'], { MESH_HOME: home });
    const json = await runMesh(['spool', '--json', '--home', home]);

    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout).toMatch(/^ {2}waiting {2}2 events, 86 bytes, the oldest since 3 min ago \(.* UTC\)$/m);
    expect(text.stdout).toMatch(/^ {2}refused {2}1 event$/m);
    expect(text.stdout).toMatch(/^ +e-3: 400 invalid\\u001b\[31m$/m);
    expect(text.stdout).toMatch(
      /^ {2}dropped {2}7 events, 2\.0 KiB, the last at 2026-01-01T00:00:00\.000Z: older than 7 days$/m,
    );
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({
      folder,
      waiting: { count: 2, bytes: 86 },
      refused: [{ reason: 'e-3: 400 invalid\u001b[31m' }],
      dropped: { count: 7, last: dropped },
    });
  });
});

describe('mesh spool --flush', () => {
  test('sends what waits to the gateway', async () => {
    const { url, taken } = await startGatewayStub();
    const home = await homeWith(['e-1', 'e-2']);

    const { code, stdout } = await runMesh(['spool', '--flush', '--home', home, '--gateway', url]);

    expect(code).toBe(0);
    expect(stdout).toContain(`Sent 2 events, to the gateway at ${url}.\n`);
    expect(taken()).toEqual(['e-1', 'e-2']);
    expect(readdirSync(join(home, 'spool'))).toEqual([]);
  });

  test('says what it did as JSON, with a code of its own for what was refused', async () => {
    const { url } = await startGatewayStub(({ body }) => ([body].flat().some(({ id }) => id === 'e-1') ? 400 : 202));
    const home = await homeWith(['e-1', 'e-2']);

    const { code, stdout } = await runMesh(['spool', '--flush', '--json', '--home', home, '--gateway', url]);

    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      flushed: { to: `the gateway at ${url}`, sent: 1, refused: 1 },
      waiting: { count: 0 },
      refused: [{ reason: 'e-1: 400' }],
    });
  });

  test('goes straight to Temporal where no gateway is', async () => {
    const home = tempFolder();
    const tenant = `flush-${process.pid}`;
    await writeEntry(join(home, 'spool'), { v: 1, event: { event: 'Stop', id: 'e-1', tenant } });
    const env = { MESH_GATEWAY_PORT: String(await freePort()), TEMPORAL_ADDRESS: inject('temporalAddress') };

    const { code, stdout, stderr } = await runMesh(['spool', '--flush', '--home', home], env);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Sent 1 event, to Temporal.\n');
  });

  test('needs nobody when nothing waits', async () => {
    const { code, stdout } = await runMesh(['spool', '--flush', '--home', tempFolder()], NO_TEMPORAL);

    expect(code).toBe(0);
    expect(stdout).toContain('waiting  0 events');
  });

  test('says who cannot be reached, with the code for it, and keeps everything', async () => {
    const home = await homeWith(['e-1']);
    const elsewhere = `http://0.0.0.0:${await freePort()}`;
    const port = String(await freePort());

    const nobody = await runMesh(['spool', '--flush', '--home', home], { MESH_GATEWAY_PORT: port, ...NO_TEMPORAL });
    const remote = await runMesh(['spool', '--flush', '--home', home, '--gateway', elsewhere]);

    expect(nobody).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Temporal is not reachable at 127.0.0.1:1: check TEMPORAL_ADDRESS and that the server runs.\n',
    });
    expect(remote).toMatchObject({ code: 2, stdout: '' });
    expect(remote.stderr).toMatch(/^the gateway at http:\/\/0\.0\.0\.0:\d+ cannot be reached: .*ECONNREFUSED/);
    expect(readdirSync(join(home, 'spool'))).toHaveLength(1);
  });

  test('says why something stays', async () => {
    const home = await homeWith(['e-1']);
    const { url } = await startGatewayStub({ status: 503, body: { code: 'unavailable', detail: 'Temporal is away' } });

    const { code, stdout } = await runMesh(['spool', '--flush', '--home', home, '--gateway', url]);

    expect(code).toBe(2);
    expect(stdout).toContain('answered 503 unavailable: Temporal is away');
    expect(stdout).toMatch(/waiting {2}1 event/);
  });

  test('leaves alone what another token is for, and what another process is sending', async () => {
    const { url, taken } = await startGatewayStub();
    const home = tempFolder();
    const folder = join(home, 'spool');
    await writeEntry(folder, { v: 1, event: { event: 'Stop', id: 'theirs' }, tokenHash: hashToken('their-token') });

    const others = await runMesh(['spool', '--flush', '--home', home, '--gateway', url]);
    const lock = await takeLock(lockOf(folder));
    const busy = await runMesh(['spool', '--flush', '--home', home, '--gateway', url], { MESH_TOKEN: 'their-token' });
    lock?.release();

    expect(others).toMatchObject({ code: 1, stdout: expect.stringContaining('Sent 0 events') });
    expect(busy).toMatchObject({ code: 1, stdout: expect.stringContaining('another process is sending what waits') });
    expect(taken()).toEqual([]);
  });
});

async function homeWith(ids: string[]): Promise<string> {
  const home = tempFolder();
  for (const id of ids) await writeEntry(join(home, 'spool'), { v: 1, event: { event: 'Stop', id } });
  return home;
}
