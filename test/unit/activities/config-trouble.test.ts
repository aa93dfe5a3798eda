import { expect, test } from 'vitest';
import { configTroubleOf } from '#activities/match-events.js';
import { parseMeshConfig } from '#config/mesh-config.js';
import { createRedactor } from '#contract/text/redact/redact.js';

const { text: redact } = createRedactor();

function troubleOf(content: string) {
  const parsed = parseMeshConfig(content, 'mesh.yaml');
  return configTroubleOf({ available: false, problems: parsed.ok ? [] : parsed.problems }, redact);
}

test('a file without mistakes is no trouble', () => {
  expect(troubleOf('{}')).toBeUndefined();
});

const TOKEN = 'hunter2'.repeat(60);
const ADDRESS = `https://bot:${TOKEN}@example.com`;

test.each([
  ['where an agent belongs', { agents: { claude: ADDRESS } }],
  ['where a yes or no belongs', { notify: { digest: ADDRESS } }],
  ['where a host belongs', { outbound: { privateHosts: [ADDRESS] } }],
  ['as a key', { [ADDRESS]: {} }],
])('of a secret %s no part is told', (_where, config) => {
  const trouble = troubleOf(JSON.stringify(config));

  expect(trouble).toMatchObject({ source: 'mesh.yaml', hasGoodVersion: false });
  expect(JSON.stringify(trouble)).not.toContain('hunter2');
});

test('of many mistakes the first few are told', () => {
  const config = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`key-${index}`, 1]));

  expect(troubleOf(JSON.stringify(config))?.problems).toEqual([
    expect.stringContaining('key-0'),
    expect.stringContaining('key-1'),
    expect.stringContaining('key-2'),
    'and 6 more problems',
  ]);
});
