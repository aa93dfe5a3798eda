import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

export type Guard = ChildProcessByStdio<Writable, null, null>;

/**
 * Starts a small process that ends the process group of an agent, should this worker not live to do it: when the pipe between
 * them breaks, or at the time limit. It runs in a group of its own, since what ends the worker may end the worker's whole group.
 */
export function startGuard(group: number, limitMs: number): Guard {
  const seconds = Math.ceil((limitMs + SLACK_MS) / 1_000);
  const guard = spawn('sh', ['-c', SCRIPT, 'mesh-agent-guard', String(group), String(seconds)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
    env: { PATH: process.env['PATH'] },
  });
  // On a machine without a shell agents run without a guard, as they do when their guard is killed.
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  return guard;
}

/** The agent has ended, so its guard is to end too. */
export function releaseGuard(guard: Guard): void {
  guard.stdin.end('\n');
}

/** The worker itself ends the agent at its limit. The guard gives it the time for that. */
const SLACK_MS = 5_000;

/**
 * A line means that the agent has ended. The end of the input without one means that the worker has. Plain POSIX, with no
 * process that has more than a few pages of memory of its own: the shell waits for its timer, another one reads.
 */
const SCRIPT = `
trap '' HUP INT TERM
exec 3<&0
sleep "$2" &
timer=$!
{ read -r line <&3; said=$?; kill -KILL "$timer"; exit "$said"; } &
reader=$!
if wait "$timer"; then kill -KILL "$reader"; elif wait "$reader"; then exit; fi
kill -TERM "-$1"
sleep 2
kill -KILL "-$1"
`;
