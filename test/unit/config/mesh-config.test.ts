import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseMeshConfig } from '#config/mesh-config.js';
import { formatProblem } from '#contract/text/problem.js';

describe('parseMeshConfig', () => {
  test('has a default for everything', () => {
    expect(parseMeshConfig('{}', '/etc/mesh/mesh.yaml')).toEqual({
      ok: true,
      value: {
        agents: {},
        teams: {},
        notify: {
          fromName: 'Remediation Mesh',
          fromAddress: 'mesh@localhost.localdomain',
          digest: false,
          retry: { quickForMs: 300_000, slowEveryMs: 300_000, giveUpAfterMs: 86_400_000 },
        },
        outbound: { privateHosts: [], maxRedirects: 0 },
        policy: { allowRemoteSessions: true },
        gateway: { tokens: [], allowedOrigins: [], allowedHosts: [], eventsPerSecond: 5_000 },
        record: { keepDays: 7, maxMegabytes: 1_000 },
        redact: { keys: [], patterns: [] },
        file: '/etc/mesh/mesh.yaml',
        folder: '/etc/mesh',
      },
    });
  });

  test('fills in what a part leaves out', () => {
    const parsed = parseMeshConfig(
      'agents: {a: {command: [run]}}\nnotify: {fromName: Me}\nbridge: {url: "https://x.example"}',
      'mesh.yaml',
    );

    expect(parsed).toMatchObject({
      ok: true,
      value: {
        agents: { a: { command: ['run'], cwd: dirname(resolve('mesh.yaml')), env: {}, inheritEnv: [] } },
        notify: { fromName: 'Me', fromAddress: 'mesh@localhost.localdomain' },
        bridge: { url: 'https://x.example', enabled: true },
        folder: dirname(resolve('mesh.yaml')),
      },
    });
  });

  test.each([
    ['agents', '/etc/mesh/agents'],
    ['../agents', '/etc/agents'],
    ['/srv/agents', '/srv/agents'],
  ])('takes the folder %s of an agent relative to the file', (cwd, folder) => {
    const parsed = parseMeshConfig(JSON.stringify({ agents: { a: { command: ['run'], cwd } } }), '/etc/mesh/mesh.yaml');

    expect(parsed).toMatchObject({ ok: true, value: { agents: { a: { cwd: folder } } } });
  });

  test('takes the file that is shipped', () => {
    const file = new URL('../../../config/mesh.yaml', import.meta.url).pathname;

    expect(parseMeshConfig(readFileSync(file, 'utf8'), file)).toMatchObject({ ok: true });
  });

  test.each<[string, string, string]>([
    [
      'a shell line as command',
      'agents: {a: {command: "rm -rf x"}}',
      'f:1: agents.a.command: expected a list: the program, then its arguments, found "rm -rf x"',
    ],
    [
      'an empty command',
      'agents: {a: {command: []}}',
      'f:1: agents.a.command: expected at least the program, found an empty list',
    ],
    [
      'an agent without a command',
      'agents:\n  a: {}',
      'f:2: agents.a: expected exactly one of command, preset, http, temporal, found none of them',
    ],
    [
      'no time for an agent',
      'agents: {a: {command: [x], timeoutMs: 0}}',
      'f:1: agents.a.timeoutMs: expected a whole number of milliseconds from 1 to 86400000, found 0',
    ],
    [
      'a number as variable',
      'agents: {a: {command: [x], env: {N: 1}}}',
      'f:1: agents.a.env.N: expected a text, found a number',
    ],
    [
      'a misspelt key',
      'agents: {a: {comand: [x], command: [x]}}',
      'f:1: agents.a.comand: unknown key "comand" (did you mean "command"?)',
    ],
    [
      'a team without members',
      'teams: {t: {members: []}}',
      'f:1: teams.t.members: expected at least one member, found an empty list',
    ],
    [
      'an address that is none',
      'teams: {t: {members: [{name: a, email: nobody}]}}',
      'f:1: teams.t.members[0].email: expected a mail address, found "nobody"',
    ],
    [
      'several addresses in one',
      'teams: {t: {members: [{name: a, email: "a@x.example, b@x.example"}]}}',
      'f:1: teams.t.members[0].email: expected a mail address, found "a@x.example, b@x.example"',
    ],
    [
      'a member named twice',
      'teams:\n  t:\n    members:\n      - name: a\n      - name: b\n      - name: a',
      'f:6: teams.t.members[2].name: duplicate member "a"',
    ],
    [
      'a default team that is not there',
      'teams: {t: {members: [{name: a}]}}\nnotify: {defaultTeam: x}',
      'f:2: notify.defaultTeam: no team is called "x" (teams here: t)',
    ],
    [
      'a default team where there is none',
      'notify: {defaultTeam: x}',
      'f:1: notify.defaultTeam: no team is called "x" (teams here: none)',
    ],
    [
      'a default team that is only inherited',
      'notify: {defaultTeam: constructor}',
      'f:1: notify.defaultTeam: no team is called "constructor" (teams here: none)',
    ],
    [
      'a sender that is no address',
      'notify: {fromAddress: me}',
      'f:1: notify.fromAddress: expected a mail address, found "me"',
    ],
    [
      'a mail server that is none',
      'notify: {smtp: mail.example.com}',
      'f:1: notify.smtp: is not ${env:NAME}, ${file:path}, or an address such as smtp://mail.example.com without a login in it',
    ],
    [
      'a login in the address of a mail server',
      'notify: {smtp: "smtps://me:pass@mail.example.com"}',
      'f:1: notify.smtp: is not ${env:NAME}, ${file:path}, or an address such as smtp://mail.example.com without a login in it',
    ],
    [
      'a bridge that is no address',
      'bridge: {url: capacity}',
      'f:1: bridge.url: expected an http or https address, found a text',
    ],
    [
      'a bridge that is a file',
      'bridge: {url: "file:///etc/passwd"}',
      'f:1: bridge.url: expected an http or https address, found a text',
    ],
    [
      'a UI that is a script',
      'temporalUi: "javascript:alert(1)"',
      'f:1: temporalUi: expected an http or https address, found a text',
    ],
    [
      'a UI whose address would tell a password to everybody, without saying it',
      'temporalUi: "https://ops:hush@ui.example.com"',
      'f:1: temporalUi: holds a user name or a password',
    ],
    [
      'a UI whose links would lead elsewhere',
      'temporalUi: "https://ui.example.com/?tab=1"',
      'f:1: temporalUi: must end without ? and #: paths are added to it',
    ],
    [
      'more redirects than a service has',
      'outbound: {maxRedirects: 6}',
      'f:1: outbound.maxRedirects: expected a whole number from 0 to 5, found 6',
    ],
    [
      'a token in the place of its hash, without saying it',
      'gateway: {tokens: [{name: a, sha256: [mesh_secret], roles: [report]}]}',
      'f:1: gateway.tokens[0].sha256[0]: expected a SHA-256 hash as `mesh token new` prints it: ' +
        '64 lower-case hexadecimal digits, found a text',
    ],
    [
      'a token without a hash',
      'gateway: {tokens: [{name: a, sha256: [], roles: [report]}]}',
      'f:1: gateway.tokens[0].sha256: expected at least one hash, found an empty list',
    ],
    [
      'a token with three hashes',
      `gateway: {tokens: [{name: a, sha256: [${'a b c'.replace(/\w/g, (digit) => `"${digit.repeat(64)}",`)}], roles: [report]}]}`,
      'f:1: gateway.tokens[0].sha256: expected at most two hashes',
    ],
    [
      'a role that is none',
      `gateway: {tokens: [{name: a, sha256: [${'a'.repeat(64)}], roles: [admin]}]}`,
      'f:1: gateway.tokens[0].roles[0]: expected one of report, read, operate, found "admin"',
    ],
    [
      'a token without a role',
      `gateway: {tokens: [{name: a, sha256: [${'a'.repeat(64)}], roles: []}]}`,
      'f:1: gateway.tokens[0].roles: expected at least one role, found an empty list',
    ],
    [
      'a tenant that is none',
      `gateway: {tokens: [{name: a, sha256: [${'a'.repeat(64)}], tenant: A, roles: [read]}]}`,
      'f:1: gateway.tokens[0].tenant: expected a tenant name',
    ],
    [
      'an origin with a path',
      'gateway: {allowedOrigins: ["https://a.example/"]}',
      'f:1: gateway.allowedOrigins[0]: is not an origin such as https://console.example.com, without a path',
    ],
    [
      'every origin at once',
      'gateway: {allowedOrigins: ["*"]}',
      'f:1: gateway.allowedOrigins[0]: is not an origin such as https://console.example.com, without a path',
    ],
    [
      'a host with a port',
      'gateway: {allowedHosts: ["a.example:80"]}',
      'f:1: gateway.allowedHosts[0]: expected a host name without a port, found "a.example:80"',
    ],
    [
      'no events at all',
      'gateway: {eventsPerSecond: 0}',
      'f:1: gateway.eventsPerSecond: expected a whole number from 1 to 100000, found 0',
    ],
    [
      'a pattern that is none',
      'redact: {patterns: ["("]}',
      'f:1: redact.patterns[0]: is not a regular expression that finds something',
    ],
    [
      'a pattern that finds nothing everywhere',
      'redact: {patterns: ["a*"]}',
      'f:1: redact.patterns[0]: is not a regular expression that finds something',
    ],
    [
      'an unknown part',
      'mail: {}',
      'f:1: mail: unknown key "mail" (known here: agents, teams, notify, bridge, temporalUi, outbound, policy, gateway, record, redact)',
    ],
    [
      'null',
      'agents:',
      'f:1: agents: expected an object of agent type to launcher, found null (give a value, or leave it out)',
    ],
    ['broken YAML', 'agents: {', 'f:1: not valid YAML or JSON: '],
    ['an empty file', '', 'f: is empty: expected an object (the smallest valid file is {})'],
  ])('refuses %s', (_, text, problem) => {
    const parsed = parseMeshConfig(text, 'f');

    const problems = parsed.ok ? [] : parsed.problems.map(formatProblem);
    expect(problems.map((one) => one.slice(0, problem.length))).toEqual([problem]);
  });

  test('takes tokens, of which two hashes are good while one replaces the other', () => {
    const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
    const parsed = parseMeshConfig(
      `gateway: {tokens: [{name: ci, sha256: [${a}, ${b}], tenant: acme, roles: [report, read]}]}`,
      'f',
    );

    expect(parsed).toMatchObject({
      ok: true,
      value: { gateway: { tokens: [{ name: 'ci', sha256: [a, b], tenant: 'acme', roles: ['report', 'read'] }] } },
    });
  });

  test('refuses tokens that could be mistaken for each other', () => {
    const token = (name: string, hash: string) => ({ name, sha256: [hash.repeat(64)], roles: ['report'] });
    const tokens = [token('one', 'a'), token('two', 'b'), token('one', 'b')];

    const parsed = parseMeshConfig(JSON.stringify({ gateway: { tokens } }), 'f');

    expect(parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'gateway.tokens[1].sha256[0]: this hash stands here more than once',
      'gateway.tokens[2].name: duplicate token "one"',
      'gateway.tokens[2].sha256[0]: this hash stands here more than once',
    ]);
  });

  test('names every problem at once', () => {
    const parsed = parseMeshConfig('agents: {a: {}}\nteams: {t: {}}\nbridge: {}\nx: 1', 'f');

    expect(parsed.ok ? [] : parsed.problems.map(({ path }) => path).sort()).toEqual([
      'agents.a',
      'bridge.url',
      'teams.t.members',
      'x',
    ]);
  });
});
