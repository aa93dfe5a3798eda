import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { releaseGuard, startGuard } from '#adapters/process/guard.js';
import { eventually } from '#test/support/eventually.js';
import { isRunning, pidsIn } from '#test/support/processes.js';
import { tempFolder } from '#test/support/temp-folder.js';

const STUBBORN = `trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo "$$ $!" > pids; while :; do sleep 1; done`;
const POLITE = 'sleep 60 & echo "$$ $!" > pids; wait';

/** An agent with a child, both of which run. */
async function anAgent(script: string): Promise<{ agent: ChildProcess; pids: number[] }> {
  const folder = tempFolder();
  const agent = spawn('sh', ['-c', script], { cwd: folder, detached: true, stdio: 'ignore' });
  onTestFinished(() => {
    if (agent.exitCode === null && agent.signalCode === null) process.kill(-(agent.pid ?? 0), 'SIGKILL');
  });
  return { agent, pids: await pidsIn(join(folder, 'pids'), 2) };
}

const allGone = (pids: number[]) =>
  eventually('the end of all', async () =>
    (await Promise.all(pids.map(isRunning))).includes(true) ? undefined : true,
  );

test.each([
  ['that heeds SIGTERM', POLITE],
  ['that ignores it', STUBBORN],
])('an agent %s is ended with all it started when its worker is no more', async (_what, script) => {
  const { agent, pids } = await anAgent(script);
  const guard = startGuard(agent.pid ?? 0, 60_000);
  const ended = once(guard, 'exit');
  const startedAt = performance.now();

  // As when the process that holds the pipe is killed.
  guard.stdin.destroy();

  await allGone(pids);
  // Far from the limit of a minute, and from what a busy machine adds to two seconds.
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  await ended;
});

test('at the time limit too, though its worker is still there', { timeout: 20_000 }, async () => {
  const { agent, pids } = await anAgent(POLITE);
  const guard = startGuard(agent.pid ?? 0, -4_500);
  const ended = once(guard, 'exit');

  await allGone(pids);

  await ended;
});

test('a guard ends when its agent has ended, and leaves alone what that has left behind', async () => {
  const { agent, pids } = await anAgent(POLITE);
  const guard = startGuard(agent.pid ?? 0, 60_000);
  await once(guard, 'spawn');
  const ended = once(guard, 'exit');

  releaseGuard(guard);

  expect(await ended).toEqual([0, null]);
  expect(await Promise.all(pids.map(isRunning))).toEqual([true, true]);
});

test('a guard leaves nothing behind, and heeds nobody who asks it to end', async () => {
  const { agent, pids } = await anAgent(POLITE);
  const guard = startGuard(agent.pid ?? 0, 60_000);
  const { pid = 0 } = guard;
  const children = await eventually('its processes', async () => {
    const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const found = text.trim().split(' ').filter(Boolean).map(Number);
    return found.length === 2 ? found : undefined;
  });
  process.kill(pid, 'SIGTERM');
  const ended = once(guard, 'exit');

  guard.stdin.destroy();

  await allGone(pids);
  await ended;
  await allGone(children);
});
