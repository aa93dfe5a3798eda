import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { expect, test } from 'vitest';
import { freePort } from '#worker/dev/dev-server.js';
import { openLogFile } from '#worker/logs.js';
import { get, startGatewayProcess } from '../support/gateway-process.js';
import { tempFolder } from '../support/temp-folder.js';

/** A disk that is full. */
const FULL = '/dev/full';

test('lines are in the file as soon as they are logged, after those that were there', async () => {
  const file = join(tempFolder(), 'new', 'a.log');

  for (const line of ['one', 'two']) pino({ base: null }, openLogFile(file)).info(line);

  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['one', 'two']);
});

test.skipIf(!existsSync(FULL))('lines that cannot be written are lost, which is said once', async () => {
  const file = join(tempFolder(), 'full.log');
  symlinkSync(FULL, file);
  const said: string[] = [];

  const log = pino(
    { base: null },
    openLogFile(file, (line) => said.push(line)),
  );
  for (const line of ['one', 'two', 'three']) log.info(line);

  expect(said).toEqual([expect.stringMatching(/^Lines of the log .*full\.log are lost: ENOSPC/)]);
});

test.skipIf(!existsSync(FULL))(
  'a gateway whose log cannot be written serves, and ends',
  { timeout: 60_000 },
  async () => {
    const home = join(tempFolder(), 'home');
    await mkdir(home);
    symlinkSync(FULL, join(home, 'gateway.log'));
    const gateway = await startGatewayProcess(await freePort(), { TEMPORAL_ADDRESS: '127.0.0.1:9', MESH_HOME: home });

    for (let request = 0; request < 3; request++) expect((await get(`${gateway.url}/healthz`)).status).toBe(200);
    const { code, tookMs } = await gateway.stop();

    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(5_000);
    expect(gateway.output().stderr.match(/ENOSPC/g)).toHaveLength(1);
  },
);
