import { describe, expect, test } from 'vitest';
import { parseMeshConfig } from '#config/mesh-config.js';
import { formatProblem } from '#contract/text/problem.js';

const MESSAGE = 'holds ${env:…} or ${file:…} where nothing is put in its place';
const WHOLE = 'such a reference must be the whole text: have the variable or the file hold all of it';

function problemsOf(config: unknown): string[] {
  const parsed = parseMeshConfig(JSON.stringify(config), 'mesh.yaml');
  return parsed.ok
    ? []
    : parsed.problems.map((problem) => formatProblem({ ...problem, file: undefined, line: undefined }));
}

function withChannel(channel: Record<string, unknown>) {
  return { teams: { t: { members: [{ name: 'ada' }], channels: [channel] } } };
}

function withAgent(agent: Record<string, unknown>) {
  return { agents: { a: agent } };
}

const WEBHOOK = { type: 'webhook', secret: '${env:S}' };
const PAGERDUTY = { type: 'pagerduty', routingKey: '${env:S}' };

describe('a reference to a secret within a text, which would go out as it is written', () => {
  test.each<[string, unknown, string]>([
    [
      'the address of a webhook',
      withChannel({ ...WEBHOOK, url: 'http://host/x?token=${env:Y}' }),
      'teams.t.channels[0].url',
    ],
    ['its path', withChannel({ ...WEBHOOK, url: 'http://host/${file:y}/x' }), 'teams.t.channels[0].url'],
    ['an address of PagerDuty', withChannel({ ...PAGERDUTY, url: 'https://host/${env:Y}' }), 'teams.t.channels[0].url'],
    ['the folder of an inbox', withChannel({ type: 'inbox', folder: '${env:Y}/x' }), 'teams.t.channels[0].folder'],
    ['the address of a runtime', withAgent({ http: { url: 'https://host/${env:Y}' } }), 'agents.a.http.url'],
    [
      'a header',
      withAgent({ http: { url: 'https://host', headers: { 'x-for': 'Bearer ${env:Y}' } } }),
      'agents.a.http.headers.x-for',
    ],
    ['a variable', withAgent({ command: ['run'], env: { GREETING: 'I am ${env:Y}' } }), 'agents.a.env.GREETING'],
    ['the address of a bridge', { bridge: { url: 'https://host/${env:Y}' } }, 'bridge.url'],
    ['the address of the UI', { temporalUi: 'https://host/${env:Y}' }, 'temporalUi'],
  ])('is refused in %s', (_where, config, path) => {
    expect(problemsOf(config)).toEqual([`${path}: ${MESSAGE} (${WHOLE})`]);
  });
});

test.each<[string, unknown]>([
  ['the whole text', withChannel({ ...WEBHOOK, url: '${env:HOOK}', token: '${file:a b.txt}' })],
  ['what a shell knows', withAgent({ command: ['sh', '-c', 'echo ${HOME} ${file:-none}', '${env:X}'] })],
  ['a pattern', { redact: { patterns: ['[$][{]env:x', '\\$\\{file:x'] } }],
])('%s is no such reference', (_what, config) => {
  expect(problemsOf(config)).toEqual([]);
});
