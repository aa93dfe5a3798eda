import { describe, expect, test } from 'vitest';
import { PRESET_NAMES } from '#config/agent-presets.js';
import { parseMeshConfig } from '#config/mesh-config.js';
import { formatProblem } from '#contract/text/problem.js';

/** In two, so that nothing takes this file for one that holds a secret. */
const SECRET_LOOK = ['sk-ant', 'api03-AbCdEf0123456789'].join('-');
const SLACK = ['https://hooks.slack.com', 'services', 'T0', 'B0', 'x'].join('/');
const FOLDER = '/etc/mesh';
const PROCESS = { cwd: FOLDER, env: {}, inheritEnv: [], maxConcurrent: 4, fallbacks: [] };

function parse(agents: unknown) {
  return parseMeshConfig(JSON.stringify({ agents }), `${FOLDER}/mesh.yaml`);
}

function problemsOf(agents: unknown): string[] {
  const parsed = parse(agents);
  return parsed.ok ? [] : parsed.problems.map((problem) => formatProblem({ ...problem, file: '', line: 1 })).map(after);
}

function after(problem: string): string {
  return problem.replace(/^:1: /, '');
}

describe('an agent', () => {
  test.each<[string, unknown, unknown]>([
    ['is a command', { command: ['run'] }, { kind: 'command', command: ['run'], prompt: 'stdin', ...PROCESS }],
    [
      'is a command with all that may be said of it',
      {
        command: ['run', '-q'],
        prompt: 'argument',
        cwd: '../agents',
        env: { A: 'x', B: '${env:B}', C: '${file:c.txt}' },
        inheritEnv: ['D'],
        timeoutMs: 1_000,
        maxConcurrent: 1,
      },
      {
        kind: 'command',
        command: ['run', '-q'],
        prompt: 'argument',
        cwd: '/etc/agents',
        env: { A: 'x', B: '${env:B}', C: '${file:c.txt}' },
        inheritEnv: ['D'],
        timeoutMs: 1_000,
        maxConcurrent: 1,
        fallbacks: [],
      },
    ],
    [
      'is a preset',
      { preset: 'claude-code', args: ['--allowedTools', 'Bash'] },
      { kind: 'preset', preset: 'claude-code', args: ['--allowedTools', 'Bash'], ...PROCESS },
    ],
    [
      'is an endpoint',
      { http: { url: 'https://runtime.example.com/agents', token: '${env:TOKEN}', headers: { 'X-Team': 'blue' } } },
      {
        kind: 'http',
        http: {
          url: 'https://runtime.example.com/agents',
          token: '${env:TOKEN}',
          headers: { 'X-Team': 'blue' },
          timeoutMs: 10_000,
        },
        maxConcurrent: 4,
        fallbacks: [],
      },
    ],
    [
      'is a workflow',
      { temporal: { workflowType: 'reviewer', taskQueue: 'agents' } },
      {
        kind: 'temporal',
        temporal: { workflowType: 'reviewer', taskQueue: 'agents' },
        maxConcurrent: 4,
        fallbacks: [],
      },
    ],
  ])('%s', (_what, agent, expected) => {
    expect(parse({ a: agent })).toMatchObject({ ok: true, value: { agents: { a: expected } } });
  });

  test('may have variables that only sound like secrets', () => {
    const env = {
      OPENAI_API_KEY: 'none',
      ANTHROPIC_AUTH_TOKEN: 'ollama',
      LLAMA_API_KEY: 'sk-no-key-required',
      ALLOW_EMPTY_PASSWORD: 'yes',
      USE_TOKEN: 'True',
      MAX_TOKENS: '4000',
      GOOGLE_APPLICATION_CREDENTIALS: 'gcp.json',
      SSL_PRIVATE_KEY: '../tls/my key.pem',
      TLS_PRIVATE_KEY: 'C:\\My Keys\\tls.key',
    };

    expect(problemsOf({ a: { command: ['run'], env } })).toEqual([]);
  });

  test.each([
    [['--max-tokens', '4000', '--use-token=yes', '--token', '--verbose', '--print-token', '--', '-']],
    [['--api-key', 'none', '--api-key=$API_KEY', '--token', '${env:TOKEN}']],
    [['--private-key', '~/.ssh/id_rsa', '--token=/run/secrets/token', '--credentials', 'gcp.json']],
    [['-e', 'API_KEY', '-c', 'env_key="API_KEY"', 'image', 'token', 'password']],
    [['sh', '-c', 'API_KEY=$(cat key) agent', '--append-system-prompt', 'Never tell the token: it is secret.']],
  ])('may have arguments that only sound like secrets: %j', (args) => {
    expect(problemsOf({ a: { preset: 'codex', args } })).toEqual([]);
  });

  test('may have an address whose parts only sound like secrets', () => {
    const url = 'https://sk-bratislava-prod1.example.com/agents?code=AT&design=large-and-very-bright';

    expect(problemsOf({ a: { http: { url } } })).toEqual([]);
  });

  test('of a type called like something inherited is one of its own', () => {
    const parsed = parse({ constructor: { command: ['run'] } });

    expect(parsed.ok && Object.keys(parsed.value.agents)).toEqual(['constructor']);
  });
});

describe('is refused:', () => {
  const ENDPOINT = { url: 'https://runtime.example.com' };

  test.each<[string, unknown, string]>([
    [
      'one that starts nothing',
      { timeoutMs: 5 },
      'agents.a: expected exactly one of command, preset, http, temporal, found none of them (it says how the agent is started)',
    ],
    [
      'one that starts two things',
      { command: ['run'], http: ENDPOINT },
      'agents.a: expected exactly one of command, preset, http, temporal, found command and http (it says how the agent is started)',
    ],
    ['a folder for an endpoint', { http: ENDPOINT, cwd: '.' }, 'agents.a.cwd: means nothing beside http (remove it)'],
    [
      'a prompt for a preset',
      { preset: 'codex', prompt: 'stdin' },
      'agents.a.prompt: means nothing beside preset (remove it)',
    ],
    [
      'arguments beside a command',
      { command: ['run'], args: ['-x'] },
      'agents.a.args: means nothing beside command (remove it)',
    ],
    [
      'a preset that is none',
      { preset: 'claude-cod' },
      `agents.a.preset: expected one of ${PRESET_NAMES.join(', ')}, found "claude-cod" (did you mean "claude-code"?)`,
    ],
    [
      'another way to give the prompt',
      { command: ['run'], prompt: 'file' },
      'agents.a.prompt: expected one of stdin, argument, found "file"',
    ],
    [
      'no slots at all',
      { command: ['run'], maxConcurrent: 0 },
      'agents.a.maxConcurrent: expected a whole number from 1 to 1000, found 0',
    ],
    [
      'a variable that only looks like a reference, without saying it',
      { command: ['run'], env: { A: '${SECRET}' } },
      'agents.a.env.A: is not ${env:NAME} or ${file:path}',
    ],
    [
      'a secret in a variable, by its name and without saying it',
      { command: ['run'], env: { OPENAI_API_KEY: 'secret-4711' } },
      'agents.a.env.OPENAI_API_KEY: holds what looks like a secret (write ${env:NAME} or ${file:path})',
    ],
    [
      'a secret in a variable, though it only looks like none from afar',
      { command: ['run'], env: { DB_PASSWORD: 'none.of-your-business' } },
      'agents.a.env.DB_PASSWORD: holds what looks like a secret (write ${env:NAME} or ${file:path})',
    ],
    ...['correct horse.key', 'user:hunter2.env', 'x: hunter2.pem'].map((value): [string, unknown, string] => [
      'a secret that ends like a file, without saying it',
      { command: ['run'], env: { DB_PASSWORD: value } },
      'agents.a.env.DB_PASSWORD: holds what looks like a secret (write ${env:NAME} or ${file:path})',
    ]),
    [
      'a secret in a variable, by its look and without saying it',
      { command: ['run'], env: { A: SECRET_LOOK } },
      'agents.a.env.A: holds what looks like a secret (write ${env:NAME} or ${file:path})',
    ],
    [
      'a secret among the arguments, without saying it',
      { command: ['run', '--api-key', SECRET_LOOK] },
      'agents.a.command[2]: holds what looks like a secret (give it to the program in env)',
    ],
    [
      'a secret among more arguments, without saying it',
      { preset: 'codex', args: [`--config=key=${SECRET_LOOK}`] },
      'agents.a.args[0]: holds what looks like a secret (give it to the program in env)',
    ],
    ...[
      ['--api-key=hunter2hunter2'],
      ['--api-key', 'hunter2hunter2'],
      ['-token=hunter2'],
      ['--password=correct horse battery'],
      ['API_KEY=hunter2'],
      ['--env=API_KEY=hunter2'],
      ['-c', 'provider.api_key="hunter2"'],
    ].map((args): [string, unknown, string] => [
      `a secret among the arguments, by its name and without saying it, as in ${args[0]?.split('=')[0] ?? ''}`,
      { command: ['run', ...args] },
      `agents.a.command[${args.length}]: holds what looks like a secret (give it to the program in env)`,
    ]),
    ...['sig', 'code'].map((name): [string, unknown, string] => [
      `a secret in an address under ${name}, without saying it`,
      { http: { url: `https://runtime.example.com/agents?v=1&${name}=4l7Xb-0fQ_hunter2%3D` } },
      'agents.a.http.url: holds what looks like a secret: put it into token or a header',
    ]),
    [
      'a secret in an address, without saying it',
      { http: { url: 'https://runtime.example.com/agents?api_key=secret-4711' } },
      'agents.a.http.url: holds what looks like a secret: put it into token or a header',
    ],
    [
      'an address that is a secret, without saying it',
      { http: { url: SLACK } },
      'agents.a.http.url: holds what looks like a secret: put it into token or a header',
    ],
    [
      'a secret in a header of any name, without saying it',
      { http: { ...ENDPOINT, headers: { 'X-Team': SECRET_LOOK } } },
      'agents.a.http.headers.X-Team: holds what looks like a secret (write ${env:NAME} or ${file:path})',
    ],
    [
      'a variable without a name',
      { command: ['run'], env: { 'A=B': 'x' } },
      'agents.a.env["A=B"]: is not the name of an environment variable',
    ],
    [
      'a plain token, without saying it',
      { http: { ...ENDPOINT, token: 'secret-4711' } },
      'agents.a.http.token: expected ${env:NAME} or ${file:path}, found a text',
    ],
    [
      'a plain credential in a header, without saying it',
      { http: { ...ENDPOINT, headers: { 'X-Api-Key': 'secret-4711' } } },
      'agents.a.http.headers.X-Api-Key: may hold a secret (write ${env:NAME} or ${file:path})',
    ],
    [
      'a header that the mesh sets',
      { http: { ...ENDPOINT, headers: { 'Idempotency-Key': 'x' } } },
      'agents.a.http.headers.Idempotency-Key: is a header that the mesh sets itself (remove it)',
    ],
    [
      'a header that the token is',
      { http: { ...ENDPOINT, token: '${env:A}', headers: { Authorization: '${env:B}' } } },
      'agents.a.http.headers.Authorization: stands beside token, which is this header (remove one of the two)',
    ],
    [
      'a header that would be two',
      { http: { ...ENDPOINT, headers: { 'X-A': 'x\r\nX-B: y' } } },
      'agents.a.http.headers.X-A: is not one line of plain characters',
    ],
    [
      'a header that is none',
      { http: { ...ENDPOINT, headers: { 'X A': 'x' } } },
      'agents.a.http.headers["X A"]: is not the name of a header (letters, digits and dashes)',
    ],
    [
      'a password in an address, without saying it',
      { http: { url: 'https://ada:secret-4711@runtime.example.com' } },
      'agents.a.http.url: holds a user name or a password: put it into token or a header',
    ],
    [
      'an address of another kind, without saying it',
      { http: { url: 'ftp://secret-4711.example.com' } },
      'agents.a.http.url: expected an http or https address, found a text',
    ],
    [
      'a workflow without a task queue',
      { temporal: { workflowType: 'x' } },
      'agents.a.temporal.taskQueue: is missing: expected a task queue',
    ],
  ])('%s', (_what, agent, problem) => {
    expect(problemsOf({ a: agent })).toEqual([problem]);
  });
});

test.each([
  ['x'.repeat(100), true],
  ['x'.repeat(101), false],
  ['ü'.repeat(16), true],
  ['ü'.repeat(17), false],
  ['~'.repeat(33), true],
  ['~'.repeat(34), false],
])('the name %s is part of effect keys, encoded, and fits: %s', (name, fits) => {
  expect(problemsOf({ [name]: { command: ['run'] } }).length === 0).toBe(fits);
});

describe('fallbacks', () => {
  const launcher = (...fallbacks: string[]) => ({ command: ['run'], fallbacks });

  test('are agent types in their order', () => {
    const parsed = parse({ a: launcher('c', 'b'), b: launcher('c'), c: launcher() });

    expect(parsed).toMatchObject({ ok: true, value: { agents: { a: { fallbacks: ['c', 'b'] } } } });
  });

  test.each<[string, unknown, string[]]>([
    [
      'a type that is not there',
      { a: launcher('b', 'constructor') },
      [
        'agents.a.fallbacks[0]: no agent type is called "b" (agent types here: a)',
        'agents.a.fallbacks[1]: no agent type is called "constructor" (agent types here: a)',
      ],
    ],
    [
      'itself',
      { a: launcher('a') },
      ['agents.a.fallbacks[0]: leads in a circle: a -> a (remove one of these fallbacks)'],
    ],
    [
      'a circle, once',
      { start: launcher('a'), a: launcher('b'), b: launcher('c', 'a'), c: launcher() },
      ['agents.b.fallbacks[1]: leads in a circle: a -> b -> a (remove one of these fallbacks)'],
    ],
    [
      'one of them twice',
      { a: launcher('b', 'b'), b: launcher() },
      ['agents.a.fallbacks[1]: duplicate fallback "b" (remove one of them)'],
    ],
  ])('may not name %s', (_what, agents, problems) => {
    expect(problemsOf(agents)).toEqual(problems);
  });
});
