import { describe, expect, test } from 'vitest';
import { PRESET_NAMES } from '../../../config/agent-presets.js';
import { parseMeshConfig } from '../../../config/mesh-config.js';
import { formatProblem } from '../../../contract/problem.js';

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
      'agents.a.http.url: holds a user name or a password: put them into a header',
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
