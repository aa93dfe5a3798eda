import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTarget } from '#activities/actions/warm-remote-capacity/open-target.js';
import { createOutbound } from '#adapters/http/create-outbound.js';
import { type HttpTarget, startHttpTarget } from '../../support/http-target.js';
import { aMeshConfig } from '../../support/notifications.js';
import { createSpawnBench } from '../../support/spawn-activity.js';
import { tempFolder } from '../../support/temp-folder.js';
import { ownSpawnRequest } from './actions/spawn-fallback-agent/own-spawn-request.js';

// `outbound.maxRedirects` holds for every action. Channels are in actions/notify-team/channels/receivers.test.ts.

const TOKEN = 't0ken-of-the-first';

let first: HttpTarget;
let second: HttpTarget;

beforeEach(async () => {
  [first, second] = await Promise.all([startHttpTarget(), startHttpTarget()]);
  first.answer({ status: 307, headers: { location: `${second.url}/moved` } });
});

afterEach(() => Promise.all([first.close(), second.close()]));

describe.each([
  [0, 0],
  [1, 1],
])('with %i redirects allowed', (maxRedirects, followed) => {
  test('an agent over HTTP that has moved is asked there, without the token', async () => {
    second.answer({ body: '{"launched":true}' });
    const http = { url: first.url, headers: { authorization: '${env:TOKEN}' } };
    const bench = createSpawnBench({
      agents: { default: { http } },
      folder: tempFolder(),
      env: { TOKEN: `Bearer ${TOKEN}` },
      maxRedirects,
    });

    const asked = bench.spawn(ownSpawnRequest()).answer.then(
      () => 'launched',
      (error: unknown) => String(error),
    );

    expect(await asked).toContain(followed ? 'launched' : 'no further redirect is followed');
    expect(first.requests[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(
      second.requests.map(({ method, path, body }) => `${method} ${path} ${body === first.requests[0]?.body}`),
    ).toEqual(followed ? ['POST /moved true'] : []);
    expect(JSON.stringify(second.requests)).not.toContain(TOKEN);
  });

  test('so is a bridge', async () => {
    second.answer({ body: '{"environments":[]}' });
    const config = aMeshConfig({
      bridge: { url: first.url, token: '${env:TOKEN}' },
      outbound: { privateHosts: ['127.0.0.1'], maxRedirects },
    });
    if (!config.bridge) throw new Error('no bridge');
    const target = await openTarget(config.bridge, config, { env: { TOKEN }, outbound: createOutbound() });

    const listed = target.list(AbortSignal.timeout(5_000)).catch((error: unknown) => String(error));

    expect(await listed).toEqual(followed ? [] : expect.stringContaining('no further redirect is followed'));
    expect(first.requests[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(second.requests.map(({ path }) => path)).toEqual(followed ? ['/moved'] : []);
    expect(JSON.stringify(second.requests)).not.toContain(TOKEN);
  });
});
