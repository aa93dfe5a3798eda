import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

export interface Command {
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  stdin: string;
  timeoutMs: number;
  signal: AbortSignal;
  onStart(process: StartedProcess): void;
}

/** Enough to find a process again: its number means something on its own machine only. */
export interface StartedProcess {
  pid: number;
  host: string;
}

export type CommandResult =
  | { ended: 'exit'; exitCode: number; outputTail: string }
  | { ended: 'signal'; signal: NodeJS.Signals; outputTail: string }
  | { ended: 'timeout'; timeoutMs: number; outputTail: string }
  | { ended: 'cancelled' }
  | { ended: 'not-started'; error: Error };

const TAIL_BYTES = 4_096;
const TERM_GRACE_MS = 3_000;
/** Output may still be on its way when the program has ended; children it left behind may hold the pipe open for ever. */
const DRAIN_MS = 500;

/** Runs a program without a shell, in a process group of its own, and ends the whole group on cancel or timeout. */
export async function runCommand(command: Command): Promise<CommandResult> {
  if (command.signal.aborted) return { ended: 'cancelled' };
  const [program = '', ...args] = command.argv;
  const child = spawn(program, args, {
    cwd: command.cwd,
    env: command.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const ending = endOf(child);
  const tail = tailOf(child);
  // A program that does not read its prompt closes the pipe early, which is its right.
  child.stdin.on('error', () => undefined);
  child.stdin.end(command.stdin);
  if (child.pid !== undefined) command.onStart({ pid: child.pid, host: hostname() });

  const limit = new AbortController();
  const timeout = command.timeoutMs < Infinity ? setTimeout(() => limit.abort(), command.timeoutMs) : undefined;
  const first = await Promise.race([
    ending,
    aborted(command.signal, 'cancelled' as const),
    aborted(limit.signal, 'timeout' as const),
  ]);
  clearTimeout(timeout);

  if (first === 'cancelled' || first === 'timeout') {
    if (child.pid !== undefined) await endGroup(child.pid, ending);
    if (first === 'cancelled') return { ended: 'cancelled' };
    return { ended: 'timeout', timeoutMs: command.timeoutMs, outputTail: tail.read() };
  }
  if ('error' in first) return { ended: 'not-started', error: first.error };
  await Promise.race([tail.closed, wait(DRAIN_MS)]);
  child.stdout.destroy();
  child.stderr.destroy();
  if (first.signal !== null) return { ended: 'signal', signal: first.signal, outputTail: tail.read() };
  return { ended: 'exit', exitCode: first.code ?? -1, outputTail: tail.read() };
}

/**
 * A worker that was killed leaves its agent running. Before the same action is tried again here, that agent is ended, if it
 * really is ours: its environment must carry the effect key. Where that cannot be read, nothing is touched.
 */
export async function endLeftover({ pid, host }: StartedProcess, effectKey: string): Promise<void> {
  if (host !== hostname()) return;
  const isOurs = async () => (await environmentOf(pid)).includes(`MESH_EFFECT_KEY=${effectKey}`);
  if (!(await isOurs())) return;
  const gone = async () => {
    while (await isOurs()) await wait(50);
  };
  await endGroup(pid, gone());
}

/** Empty for a process that is gone, or dead and not yet collected. */
async function environmentOf(pid: number): Promise<string[]> {
  return (await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')).split('\0');
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;
type End = { code: number | null; signal: NodeJS.Signals | null } | { error: Error };

function endOf(child: Child): Promise<End> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

function tailOf(child: Child): { read(): string; closed: Promise<unknown> } {
  let bytes = Buffer.alloc(0);
  const take = (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length > TAIL_BYTES) bytes = bytes.subarray(bytes.length - TAIL_BYTES);
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  // A cut may fall into the middle of a character.
  const read = () => bytes.toString('utf8').replace(/^\uFFFD+/, '');
  return { read, closed: new Promise((resolve) => child.once('close', resolve)) };
}

function aborted<T>(signal: AbortSignal, value: T): Promise<T> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(value), { once: true }));
}

async function endGroup(pid: number, ending: Promise<unknown>): Promise<void> {
  signalGroup(pid, 'SIGTERM');
  await Promise.race([ending, wait(TERM_GRACE_MS)]);
  // Also when the leader ended politely: what it started may not have.
  signalGroup(pid, 'SIGKILL');
  await ending;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
