import { describe, expect, test } from 'vitest';
import { AGENT_VARIABLES, readSettings, SETTINGS } from '#contract/settings.js';

describe('readSettings', () => {
  test('has a default for everything', () => {
    const read = readSettings({});

    expect(read).toEqual({
      settings: {
        rules: 'config/rules.yaml',
        config: 'config/mesh.yaml',
        home: '.mesh',
        temporalPort: 7233,
        uiPort: 8233,
        gatewayPort: 7280,
        gatewayHost: '127.0.0.1',
        gatewayUrl: undefined,
        metricsAddress: undefined,
        token: undefined,
        redactKeys: [],
      },
      problems: [],
      warnings: [],
    });
  });

  test('takes what the environment says', () => {
    const { settings, problems } = readSettings({
      MESH_RULES: 'rules/',
      MESH_CONFIG: 'mesh.yaml',
      MESH_HOME: '/var/mesh',
      MESH_TEMPORAL_PORT: '1',
      MESH_UI_PORT: '65535',
      MESH_GATEWAY_PORT: 'off',
      MESH_GATEWAY_HOST: '0.0.0.0',
      MESH_GATEWAY_URL: 'https://mesh.example.com',
      MESH_METRICS_ADDRESS: '127.0.0.1:9464',
      MESH_TOKEN: 'mesh_abc',
      MESH_REDACT_KEYS: 'pin, iban,',
    });

    expect(problems).toEqual([]);
    expect(settings).toEqual({
      rules: 'rules/',
      config: 'mesh.yaml',
      home: '/var/mesh',
      temporalPort: 1,
      uiPort: 65_535,
      gatewayPort: undefined,
      gatewayHost: '0.0.0.0',
      gatewayUrl: 'https://mesh.example.com',
      metricsAddress: '127.0.0.1:9464',
      token: 'mesh_abc',
      redactKeys: ['pin', 'iban'],
    });
  });

  test('takes an empty variable for one that is not set', () => {
    const empty = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '']));

    expect(readSettings(empty)).toEqual(readSettings({}));
  });

  test.each(['0', '65536', '-1', '72.5', 'seven', '7233x'])('refuses port %s', (port) => {
    const { problems } = readSettings({ MESH_TEMPORAL_PORT: port, MESH_UI_PORT: port, MESH_GATEWAY_PORT: port });

    expect(problems).toEqual([
      `MESH_TEMPORAL_PORT: expected a port from 1 to 65535, found "${port}"`,
      `MESH_UI_PORT: expected a port from 1 to 65535, found "${port}"`,
      `MESH_GATEWAY_PORT: expected a port from 1 to 65535, found "${port}"`,
    ]);
  });

  test.each(['9464', 'localhost:9464', '127.0.0.1', '127.0.0.1:0', '127.0.0.1:65536'])(
    'refuses %s as an address for metrics',
    (address) => {
      expect(readSettings({ MESH_METRICS_ADDRESS: address }).problems).toEqual([
        `MESH_METRICS_ADDRESS: expected an IP address and a port, such as 127.0.0.1:9464, found "${address}"`,
      ]);
      expect(readSettings({ MESH_METRICS_ADDRESS: '[::1]:9464' }).problems).toEqual([]);
    },
  );

  test.each(['mesh.example.com', 'ftp://mesh.example.com', 'http://'])('refuses gateway %s', (url) => {
    const { problems } = readSettings({ MESH_GATEWAY_URL: url });

    expect(problems).toEqual(['MESH_GATEWAY_URL: expected an address such as https://mesh.example.com']);
  });

  test.each([
    ['temporal.example.com', 'is not an address'],
    ['https://ops:hush@temporal.example.com', 'holds a user name or a password'],
    ['https://temporal.example.com/?tab=1', 'must end without ? and #: paths are added to it'],
    ['https://temporal.example.com/#', 'must end without ? and #: paths are added to it'],
  ])('refuses UI %s without repeating it: it would stand in every message', (url, why) => {
    const { problems } = readSettings({ MESH_UI_URL: url });

    expect(problems).toEqual([`MESH_UI_URL: expected an address such as https://temporal.example.com; it ${why}`]);
  });

  test('refuses a lineage key that can be guessed, without repeating it', () => {
    expect(readSettings({ MESH_LINEAGE_KEY: 'k'.repeat(32) }).problems).toEqual([]);
    expect(readSettings({ MESH_LINEAGE_KEY: 'k'.repeat(31) }).problems).toEqual([
      'MESH_LINEAGE_KEY: expected at least 32 characters',
    ]);
  });

  test('warns of a variable nobody reads, and guesses which was meant', () => {
    const { warnings, problems } = readSettings({ MESH_RULE_FILE: 'x', MESH_HOMES: 'y', MESH_SOMETHING_ELSE: 'z' });

    expect(problems).toEqual([]);
    expect(warnings).toContain('MESH_HOMES is not a variable of the mesh: did you mean MESH_HOME?');
    expect(warnings).toContain('MESH_SOMETHING_ELSE is not a variable of the mesh');
    expect(warnings).toHaveLength(3);
  });

  test('does not warn of what the mesh sets for its agents, nor of what is not its business', () => {
    const forAgents = Object.fromEntries(Object.keys(AGENT_VARIABLES).map((name) => [name, 'x']));

    const { warnings } = readSettings({ ...forAgents, TEMPORAL_ADDRESS: 'x:1', PATH: '/bin', MESHED: 'x' });

    expect(warnings).toEqual([]);
  });
});
