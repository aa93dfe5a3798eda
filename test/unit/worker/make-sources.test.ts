import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { readSettings } from '#contract/settings.js';
import { makeSources } from '#worker/make-sources.js';
import { tempFolder } from '../../support/temp-folder.js';

const rulesFor = (team: string) => ({
  rules: [{ id: 'r', trigger: { event: 'Stop' }, actions: [{ type: 'notify_team', teamName: team }] }],
});
const CONFIG = { teams: { 'on-call': { members: [{ name: 'alice' }] } } };

function prepare(actsIn?: Record<string, string>) {
  const folder = tempFolder();
  const [rules, config] = [join(folder, 'rules.json'), join(folder, 'mesh.yaml')];
  const { settings } = readSettings({ MESH_RULES: rules, MESH_CONFIG: config });
  const said: string[] = [];
  const log = { info: () => undefined, error: (_meta: object, message: string) => void said.push(message) };
  const sources = makeSources(settings, log, actsIn);
  const write = (file: string) => (content: unknown) => writeFileSync(file, JSON.stringify(content));
  return { sources, said, rules, config, writeRules: write(rules), writeConfig: write(config) };
}

test('a team that only the rules know is said when both are read, whichever comes last, and once', async () => {
  const { sources, said, rules, writeRules, writeConfig } = prepare();
  const warning = `Rules: ${rules}: warning: rules[0].actions[0].teamName: mesh.yaml has no team "oncall": this tells nobody (did you mean "on-call"?)`;
  writeConfig(CONFIG);
  writeRules(rulesFor('oncall'));
  await sources.rulesets.get('default');
  expect(said).toEqual([]);

  await sources.config.get();
  expect(said).toEqual([warning]);

  writeConfig({ ...CONFIG, notify: { digest: true } });
  await sources.config.get();
  expect(said).toEqual([warning]);

  writeRules(rulesFor('on-call'));
  await sources.rulesets.get('default');
  writeRules(rulesFor('oncall'));
  await sources.rulesets.get('default');
  expect(said).toEqual([warning, warning]);
});

test('whoever acts by a configuration says once which of its secrets are missing here, and shows none', async () => {
  const { sources, said, config, writeConfig } = prepare({ THERE: 'planted', HOOK: 'my secret!' });
  const channels = [
    { type: 'slack', webhook: '${env:THERE}' },
    { type: 'pagerduty', routingKey: '${env:GONE}' },
    { type: 'webhook', url: 'https://example.com', secret: '${env:HOOK}' },
  ];
  const withChannels = { teams: { t: { members: [{ name: 'a' }], channels } } };
  const place = `Configuration: ${config}: warning: teams.t.channels`;
  const [missing, unusable] = [
    `${place}[1].routingKey: \${env:GONE} cannot be read here: environment variable GONE is not set`,
    expect.stringContaining(`${place}[2].secret: \${env:HOOK} is not whsec_ and a key in Base64`) as string,
  ];
  writeConfig(withChannels);
  await sources.config.get();
  await vi.waitFor(() => expect(said).toEqual([missing, unusable]));

  channels.push({ type: 'slack', name: 'other', webhook: '${env:GONE_TOO}' } as never);
  writeConfig(withChannels);
  await sources.config.get();
  await vi.waitFor(() => expect(said.slice(2)).toEqual([expect.stringContaining('GONE_TOO is not set')]));
});

test('a process that does not act by it, such as a gateway, need not have its secrets', async () => {
  const { sources, said, writeConfig } = prepare();
  writeConfig({ bridge: { url: 'https://example.com', token: '${env:GONE}' } });
  await sources.config.get();

  await new Promise(setImmediate);
  expect(said).toEqual([]);
});
