import { describe, expect, test } from 'vitest';
import { parseMeshConfig } from '#config/mesh-config.js';
import { formatProblem } from '#contract/text/problem.js';

const CLUSTER = 'https://cluster.example/apis/apps/v1/namespaces/agents/deployments/runner';
/** In two, so that nothing takes this file for one that holds a secret. */
const TOKEN = ['glpat', 'AbCdEf0123456789'].join('-');

function parse(written: object) {
  return parseMeshConfig(JSON.stringify(written), 'mesh.yaml');
}

function problems(bridge: object): string[] {
  const parsed = parse({ bridge });
  return parsed.ok ? [] : parsed.problems.map((problem) => formatProblem(problem).replace('mesh.yaml:1: ', ''));
}

test('an address and a token are a bridge over HTTP', () => {
  expect(parse({ bridge: { url: 'https://capacity.example.com/', token: '${env:TOKEN}' } })).toMatchObject({
    ok: true,
    value: {
      bridge: { kind: 'http', url: 'https://capacity.example.com/', token: '${env:TOKEN}', enabled: true },
      policy: { allowRemoteSessions: true },
    },
  });
});

test.each([
  [{ url: 'http://127.0.0.1:7290' }],
  [{ url: 'https://example.com/bridge', ca: '${file:ca.pem}', enabled: false }],
  [{ kind: 'kubernetes', url: CLUSTER, token: '${file:/var/run/secrets/token}' }],
  [{ kind: 'kubernetes', url: `${CLUSTER}/`, token: '${env:TOKEN}', ca: '${file:ca.crt}' }],
  [{ kind: 'kubernetes', url: 'https://c.example/apis/x.io/v1/namespaces/a/pools/b.c', token: '${env:TOKEN}' }],
  [
    {
      kind: 'kubernetes',
      url: 'https://cluster.example/k8s/c1/apis/apps/v1/namespaces/a/statefulsets/b',
      token: '${env:T}',
    },
  ],
  // Names that only look like keys.
  [{ url: 'https://sk-bratislava-prod1.example.com/v2' }],
  [{ kind: 'kubernetes', url: CLUSTER.replace('agents', 'sk-bratislava-prod1'), token: '${env:TOKEN}' }],
])('%o is a bridge', (bridge) => {
  expect(problems(bridge)).toEqual([]);
});

const SECRET_IN_PATH =
  'bridge.url: holds what looks like a secret ' +
  '(credentials belong into token; a name in the path that only looks like one, such as sk-…, must be another)';
const SECRET = '${env:NAME} or ${file:path}';

test.each<[string, object, string[]]>([
  ['no address', {}, ['bridge.url: is missing: expected an http or https address']],
  ['an address that is none', { url: 'capacity' }, ['bridge.url: expected an http or https address, found a text']],
  [
    'a kind there is not',
    { url: CLUSTER, kind: 'nomad' },
    ['bridge.kind: expected one of http, kubernetes, found a text'],
  ],
  [
    'a user and a query in the address',
    { url: 'https://me:hunter2@capacity.example.com/?key=hunter2' },
    [
      'bridge.url: holds a user name or a password (credentials belong into token)',
      'bridge.url: must end without ? and #: paths are added to it',
    ],
  ],
  ['a token in the address', { url: `https://capacity.example.com/${TOKEN}` }, [SECRET_IN_PATH]],
  [
    'a token before the path of an object',
    { kind: 'kubernetes', url: CLUSTER.replace('/apis', `/${TOKEN}/apis`), token: '${env:TOKEN}' },
    [SECRET_IN_PATH],
  ],
  [
    'a token as it is',
    { url: 'https://capacity.example.com', token: 'hunter2' },
    [`bridge.token: expected ${SECRET}, found a text`],
  ],
  [
    'a certificate as it is',
    { url: 'https://capacity.example.com', ca: '-----BEGIN CERTIFICATE-----' },
    [`bridge.ca: expected ${SECRET}, found a text`],
  ],
  [
    'a cluster in clear, without a token',
    { kind: 'kubernetes', url: CLUSTER.replace('https', 'http') },
    [
      'bridge.url: must be https for a Kubernetes API',
      `bridge.token: is missing: expected ${SECRET} for a Kubernetes API`,
    ],
  ],
])('%s is refused, and no secret is shown', (_name, bridge, expected) => {
  expect(problems(bridge)).toEqual(expected);
});

test.each([
  'https://cluster.example',
  `${CLUSTER}/scale`,
  'https://cluster.example/apis/apps/v1/deployments/runner',
  'https://cluster.example/apis/apps/v1/namespaces/agents/deployments/Run ner',
])('%s is no scalable object', (url) => {
  expect(problems({ kind: 'kubernetes', url, token: '${env:TOKEN}' })).toEqual([
    'bridge.url: is not the address of a scalable object ' +
      '(such as https://cluster.example/apis/apps/v1/namespaces/agents/deployments/runner)',
  ]);
});

describe('the policy', () => {
  test('can forbid remote sessions', () => {
    expect(parse({ policy: { allowRemoteSessions: false } })).toMatchObject({
      value: { policy: { allowRemoteSessions: false } },
    });
  });

  test('says yes or no, nothing else', () => {
    expect(parse({ policy: { allowRemoteSessions: 'no' } })).toMatchObject({ ok: false });
    expect(parse({ policy: { allowRemoteSession: false } })).toMatchObject({ ok: false });
  });
});
