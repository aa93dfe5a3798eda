import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Command, runCommand } from '#adapters/process/run-command.js';
import { ROOT } from '#test/support/paths.js';

function run(argv: string[], more: Partial<Command> = {}) {
  return runCommand({
    argv,
    cwd: process.cwd(),
    env: { PATH: process.env['PATH'] ?? '' },
    stdin: '',
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    onStart: () => undefined,
    ...more,
  });
}

test('gives the prompt on standard input and records both outputs and the exit code', async () => {
  const result = await run(['sh', '-c', 'cat; echo err >&2; exit 3'], { stdin: 'the prompt\n' });

  expect(result).toMatchObject({ ended: 'exit', exitCode: 3 });
  expect(result).toHaveProperty('output.text', expect.stringMatching(/the prompt\n/));
  expect(result).toHaveProperty('output.text', expect.stringMatching(/err\n/));
});

test('passes arguments as they are: nothing is read by a shell', async () => {
  const result = await run(['printf', '%s', '$(id) `id` ; exit 1']);

  expect(result).toEqual({ ended: 'exit', exitCode: 0, output: { text: '$(id) `id` ; exit 1', isCut: false } });
});

test('keeps the last 16 KiB of the output, and no half character', async () => {
  const result = await run([process.execPath, '-e', 'process.stdout.write("x" + "é".repeat(20000) + "!")']);

  expect(result).toHaveProperty('output', { text: expect.stringMatching(/^é{8191}!$/) as string, isCut: true });
});

test('a program that does not read its prompt is not disturbed by a large one', async () => {
  expect(await run(['true'], { stdin: 'x'.repeat(5_000_000) })).toMatchObject({ ended: 'exit', exitCode: 0 });
});

test('a command cancelled before it starts never starts', async () => {
  let started = false;

  const result = await run(['true'], { signal: AbortSignal.abort(), onStart: () => (started = true) });

  expect(result).toEqual({ ended: 'cancelled' });
  expect(started).toBe(false);
});

test('a child that outlives the program and holds its output does not hold up the result', async () => {
  const startedAt = performance.now();

  const result = await run(['sh', '-c', 'sleep 20 & echo done']);

  expect(result).toEqual({ ended: 'exit', exitCode: 0, output: { text: 'done\n', isCut: false } });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

describe('what runs as another user', () => {
  afterEach(() => vi.restoreAllMocks());

  // These tests may run as the one user who may end everything.
  const refuse = () => {
    const kill = process.kill.bind(process);
    vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
      if (pid < 0 && signal === 'SIGKILL') throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
      return kill(pid, signal);
    });
  };
  /** Its first process ends when it is asked to. */
  const LEAVES_ONE = ['sh', '-c', `(trap '' TERM; sleep 4) & wait`];

  test('cannot be ended at the time limit, and that is said', async () => {
    refuse();

    expect(await run(LEAVES_ONE, { timeoutMs: 200 })).toMatchObject({ ended: 'timeout', goesOn: true });
  });

  test('cannot be ended by an abort, and that is said', async () => {
    refuse();
    const controller = new AbortController();

    const result = run(LEAVES_ONE, {
      signal: controller.signal,
      onStart: () => setTimeout(() => controller.abort(), 200),
    });

    expect(await result).toEqual({ ended: 'cancelled', goesOn: true });
  });
});

// In a process of its own, which has no more descriptors than the test takes from it.
test('a machine that has no file descriptors left starts no program, and the worker lives on', async () => {
  const script = `
    import { openSync } from 'node:fs';
    import { runCommand } from ${JSON.stringify(`${ROOT}dist/adapters/process/run-command.js`)};
    try { for (;;) openSync('/dev/null'); } catch {}
    const { signal } = new AbortController();
    const command = { argv: ['true'], cwd: '/', env: {}, stdin: '', timeoutMs: 1000, signal, onStart: () => undefined };
    const { ended, error } = await runCommand(command);
    process.stdout.write(ended + ' ' + error?.code);`;
  const node = `exec ${JSON.stringify(process.execPath)} --input-type=module`;

  const result = await run(['sh', '-c', `ulimit -n 64; ${node}`], {
    stdin: script,
    env: { PATH: process.env['PATH'] ?? '' },
  });

  expect(result).toMatchObject({ ended: 'exit', exitCode: 0, output: { text: 'not-started EMFILE' } });
});
