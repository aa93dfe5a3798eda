import { isIP } from 'node:net';
import { expect, test } from 'vitest';
import { type MeshConfig, parseMeshConfig } from '#config/mesh-config.js';
import { privateReceivers } from '#worker/check-config.js';
import { secretProblems } from '#worker/secret-problems.js';
import { SSRF_FORMS } from '../adapters/http/ssrf-forms.js';

async function warned(config: object, env: Record<string, string> = {}): Promise<string[]> {
  return (await privateReceivers(parse(config), env)).map(({ path }) => path);
}

async function missing(config: object): Promise<string[]> {
  return (await secretProblems(parse(config), {})).map(({ path }) => path);
}

function parse(config: object): MeshConfig {
  const parsed = parseMeshConfig(JSON.stringify(config), 'mesh.yaml');
  if (!parsed.ok) throw new Error(`the configuration of this test is not valid: ${JSON.stringify(parsed.problems)}`);
  return parsed.value;
}

const config = (url: string, more: object = {}) => ({
  agents: { runtime: { http: { url } } },
  teams: { ops: { members: [{ name: 'ada' }], channels: [{ type: 'webhook', url, secret: '${env:S}' }] } },
  ...more,
});
const PLACES = ['agents.runtime.http.url', 'teams.ops.channels[0].url'];

test.each(['http://127.0.0.1:7290/hook', 'http://localhost/hook', 'http://[::1]/hook', 'https://10.0.0.7/hook'])(
  '%s leads to a private address, and says so where it stands',
  async (url) => {
    expect(await warned(config(url))).toEqual(PLACES);
  },
);

test.each([
  ['http://169.254.169.254/latest', '169.254.169.254', 'can hand out credentials of this machine'],
  ['http://[fd00:ec2::254]/latest', 'fd00:ec2::254', 'can hand out credentials of this machine'],
  ['http://0.0.0.0/hook', undefined, 'no service can have'],
  ['http://[::127.0.0.1]/hook', undefined, 'no service can have'],
])('%s is refused like a private one, and says why', async (url, nameToAllow, why) => {
  const allowing = (host: string) => config(url, { outbound: { privateHosts: [host] } });
  const problems = await privateReceivers(parse(config(url)), {});

  expect(problems).toMatchObject(PLACES.map((path) => ({ path, message: expect.stringContaining(why) as string })));
  // What no service can have is refused whatever is named.
  expect(await warned(allowing(nameToAllow ?? new URL(url).hostname))).toEqual(nameToAllow === undefined ? PLACES : []);
});

test.each(refusedAddresses())('warns of %s as it is refused: %s', async (host, refusal) => {
  const said = { private: 'private', metadata: 'credentials', never: 'no service' }[refusal];
  const problems = await privateReceivers(parse(config(`http://${host}/`)), {});

  expect(problems.map(({ message }) => message)).toEqual(PLACES.map(() => expect.stringContaining(said) as string));
});

/** What the client refuses, as far as it is an address and no name. */
function refusedAddresses(): [string, 'private' | 'metadata' | 'never'][] {
  return SSRF_FORMS.flatMap(({ url, refusal }) => {
    const written = url.replace('PORT', '80');
    const host = URL.canParse(written) ? new URL(written).hostname : '';
    const isAddress = isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;
    const isOfAddress = refusal === 'private' || refusal === 'metadata' || refusal === 'never';
    return isAddress && isOfAddress ? [[host, refusal]] : [];
  });
}

test('what is public, allowed, a name, or not to be had here is no reason to warn', async () => {
  expect(await warned(config('https://example.com/hook'))).toEqual([]);
  expect(await warned(config('http://127.0.0.1/hook', { outbound: { privateHosts: ['127.0.0.1'] } }))).toEqual([]);
  expect(await warned(config('https://intranet/hook'))).toEqual([]);
});

test('an address that is a secret is looked into, and not shown', async () => {
  const channels = [{ type: 'webhook', url: '${env:HOOK}', secret: '${env:S}' }];
  const secret = { teams: { ops: { members: [{ name: 'ada' }], channels } } };

  expect(await warned(secret, { HOOK: 'http://10.1.2.3/secret' })).toEqual(['teams.ops.channels[0].url']);
  expect(await warned(secret)).toEqual([]);
});

test('a bridge that is switched off is no reason to warn, nor is the token it would need', async () => {
  const on = { bridge: { url: 'http://127.0.0.1:7290', token: '${env:NOT_SET}' } };
  const off = { bridge: { ...on.bridge, enabled: false } };

  expect([await warned(on), await missing(on)]).toEqual([['bridge.url'], ['bridge.token']]);
  expect([await warned(off), await missing(off)]).toEqual([[], []]);
});
