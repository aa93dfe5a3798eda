import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../../support/temp-folder.js';
import { runMesh } from './run-mesh.js';

const RULES = [
  'maxChainDepth: 2',
  'defaultCooldownMs: 0',
  'defaultDedupWindowMs: 0',
  'rules:',
  '  - id: retry',
  '    cooldownMs: 1000',
  '    trigger: { event: PostToolUseFailure, outcome: failed }',
  '    actions:',
  '      - { type: spawn_fallback_agent, id: spawn }',
  '      - { type: notify_team, id: tell, enabled: false }',
].join('\n');

const FAILED = { event: 'PostToolUseFailure', outcome: 'failed', payload: { tool_name: 'Bash' } };

describe('mesh simulate', () => {
  test('prints one line of verdicts per line of events', async () => {
    const run = await simulate(
      [
        { atMs: 0, event: FAILED },
        { atMs: 400, event: FAILED },
        { atMs: 1000, event: { ...FAILED, depth: 2 } },
        { atMs: 1000, event: FAILED },
      ],
      ['--json'],
    );

    expect(run.stderr).toBe('');
    expect(run.code).toBe(0);
    expect(
      run.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      {
        atMs: 0,
        verdicts: [
          { rule: 'retry', action: 'spawn', verdict: 'fire' },
          { rule: 'retry', action: 'tell', verdict: 'skip', code: 'disabled', reason: 'action disabled' },
        ],
      },
      {
        atMs: 400,
        verdicts: ['spawn', 'tell'].map((action) => ({
          rule: 'retry',
          action,
          verdict: 'skip',
          code: 'cooldown',
          reason: 'rule cooldown active for 600ms',
          untilAt: 1000,
        })),
      },
      { atMs: 1000, verdicts: [{ verdict: 'skip', code: 'max-depth', reason: 'max chain depth reached (2/2)' }] },
      {
        atMs: 1000,
        verdicts: [
          { rule: 'retry', action: 'spawn', verdict: 'fire' },
          { rule: 'retry', action: 'tell', verdict: 'skip', code: 'disabled', reason: 'action disabled' },
        ],
      },
    ]);
  });

  test('prints a table that answers why nothing happened', async () => {
    const run = await simulate([
      { atMs: 0, event: FAILED },
      { atMs: 1500, event: { event: 'Stop', depth: 1 } },
    ]);

    expect(run).toEqual({
      code: 0,
      stdout: [
        '     0.000 s  PostToolUseFailure failed',
        '    retry / spawn  FIRE',
        '    retry / tell   skip disabled: action disabled',
        '     1.500 s  Stop unknown depth 1',
        '    whole event  skip no-match: no rule matches: retry: trigger wants PostToolUseFailure',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  test('explains of every rule why it did not look', async () => {
    const folder = withRules();
    const rules = ['  - id: other', '    trigger: { event: Stop }', '    actions: [{ type: notify_team }]'];
    writeFileSync(join(folder, 'rules.yaml'), [RULES, ...rules].join('\n'));
    const stdin = `${JSON.stringify(FAILED)}\n${JSON.stringify({ event: 'Stop' })}\n`;
    const args = ['simulate', '-r', 'rules.yaml', '-e', '-', '--explain'];

    const [table, json] = [
      await runMesh(args, { cwd: folder, stdin }),
      await runMesh([...args, '--json'], { cwd: folder, stdin }),
    ];

    expect(table.stdout).toBe(
      [
        '     0.000 s  PostToolUseFailure failed',
        '    retry / spawn  FIRE',
        '    retry / tell   skip disabled: action disabled',
        '    other          did not look: trigger wants Stop',
        '     0.000 s  Stop unknown',
        '    other / notify_team:0  FIRE',
        '    retry                  did not look: trigger wants PostToolUseFailure',
        '',
      ].join('\n'),
    );
    expect(
      json.stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { missed: unknown }).missed),
    ).toEqual([
      [{ rule: 'other', reason: 'trigger wants Stop' }],
      [{ rule: 'retry', reason: 'trigger wants PostToolUseFailure' }],
    ]);
  });

  test('recognises an event with an id of its own', async () => {
    const run = await simulate(
      [
        { atMs: 0, event: { ...FAILED, id: 'x' } },
        { atMs: 5000, event: { ...FAILED, id: 'x' } },
      ],
      ['--json'],
    );

    expect(run.stdout.split('\n')[1]).toBe(
      '{"atMs":5000,"verdicts":[{"verdict":"skip","code":"duplicate","reason":"event id already seen"}]}',
    );
  });

  test('reads events from a file', async () => {
    const folder = withRules();
    writeFileSync(join(folder, 'events.jsonl'), `${JSON.stringify({ atMs: 7, event: FAILED })}\n`);

    const run = await runMesh(['simulate', '-r', 'rules.yaml', '-e', 'events.jsonl', '--json'], { cwd: folder });

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^\{"atMs":7,"verdicts":\[/);
  });

  test('ends quietly when its reader has seen enough', async () => {
    const folder = withRules();
    const line = `${JSON.stringify({ atMs: 0, event: FAILED })}\n`;
    writeFileSync(join(folder, 'events.jsonl'), line.repeat(20_000));

    const run = await runMesh(['simulate', '-r', 'rules.yaml', '-e', 'events.jsonl'], {
      cwd: folder,
      closeStdout: true,
    });

    expect(run).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('prints nothing about no events', async () => {
    expect(await simulate([], ['--json'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('names every line that cannot be used, and judges none', async () => {
    const lines = [
      { atMs: 0, event: FAILED },
      { atMs: -1, event: FAILED },
      { atMs: 0, event: { event: 'Stop', outcome: 'bad' } },
      { atMs: 0, event: { event: 'Stop' }, extra: 1 },
      { event: FAILED },
      null,
      { atMs: 0 },
    ];

    const run = await simulate(lines);

    expect(run.code).toBe(1);
    expect(run.stdout).toBe('');
    expect(run.stderr.trimEnd().split('\n')).toEqual([
      'standard input:2: atMs: expected a whole number of milliseconds from 0',
      'standard input:3: event.outcome: expected one of success, failed, timeout, unknown, found "bad"',
      'standard input:4: extra: unknown key "extra" beside atMs and event',
      'standard input:5: atMs: expected a whole number of milliseconds from 0',
      'standard input:6: atMs: expected a whole number of milliseconds from 0',
      'standard input:7: event: expected an event object',
    ]);
  });

  test('names the problems of the rules', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'rules.yaml'), 'rules:\n  - id: a\n');

    const run = await runMesh(['simulate', '-r', 'rules.yaml', '-e', '-'], { cwd: folder });

    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^rules\.yaml:2: rules\[0\]\.trigger: is missing/);
  });

  test.each([
    ['without events', ['-r', 'rules.yaml']],
    ['without rules', ['-e', '-']],
  ])('called %s explains itself without a stack trace', async (_, args) => {
    const run = await runMesh(['simulate', ...args], { cwd: withRules() });

    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^error: required option/);
    expect(run.stderr).not.toMatch(/^\s+at /m);
  });
});

function withRules(): string {
  const folder = tempFolder();
  writeFileSync(join(folder, 'rules.yaml'), RULES);
  return folder;
}

function simulate(lines: unknown[], args: string[] = []) {
  const stdin = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return runMesh(['simulate', '--rules', 'rules.yaml', '--events', '-', ...args], { cwd: withRules(), stdin });
}
