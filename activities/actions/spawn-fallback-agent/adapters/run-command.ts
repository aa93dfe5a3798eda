import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { hostname } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { RawOutput } from '../output-tail.js';
import { endGroup } from './process-group.js';

export interface Command {
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  stdin: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Called once the process is there. */
  onStart(process: StartedProcess): void;
}

/** Enough to find a process again: its number means something on its own machine only. */
export interface StartedProcess {
  pid: number;
  host: string;
}

export type CommandResult =
  | { ended: 'exit'; exitCode: number; output: RawOutput }
  | { ended: 'signal'; signal: NodeJS.Signals; output: RawOutput }
  | { ended: 'timeout'; output: RawOutput }
  | { ended: 'cancelled' }
  | { ended: 'not-started'; error: Error };

/** More than is shown of it, so that a secret at its end is there as a whole and can be hidden. */
const OUTPUT_BYTES = 16 * 1024;
/** Output may still be on its way when the program has ended; children it left behind may hold the pipe open for ever. */
const DRAIN_MS = 500;
/** What a timer takes; more would make it run off at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Runs a program without a shell, in a process group of its own, and ends the whole group on cancel or timeout. */
export async function runCommand(command: Command): Promise<CommandResult> {
  if (command.signal.aborted) return { ended: 'cancelled' };
  const child = start(command);
  if (child instanceof Error) return { ended: 'not-started', error: child };
  const ending = endOf(child);
  const tail = tailOf(child);
  // A program that does not read its prompt closes the pipe early, which is its right.
  child.stdin.on('error', () => undefined);
  child.stdin.end(command.stdin);
  if (child.pid !== undefined) command.onStart({ pid: child.pid, host: hostname() });

  const limit = new AbortController();
  const timeout = setTimeout(() => limit.abort(), Math.min(command.timeoutMs, MAX_TIMER_MS));
  const first = await Promise.race([
    ending,
    aborted(command.signal, 'cancelled' as const),
    aborted(limit.signal, 'timeout' as const),
  ]);
  clearTimeout(timeout);

  if (first === 'cancelled' || first === 'timeout') {
    if (child.pid !== undefined) await endGroup(child.pid, ending);
    if (first === 'cancelled') return { ended: 'cancelled' };
    return { ended: 'timeout', output: tail.read() };
  }
  if ('error' in first) return { ended: 'not-started', error: first.error };
  await Promise.race([tail.closed, wait(DRAIN_MS)]);
  child.stdout.destroy();
  child.stderr.destroy();
  if (first.signal !== null) return { ended: 'signal', signal: first.signal, output: tail.read() };
  return { ended: 'exit', exitCode: first.code ?? -1, output: tail.read() };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;
type End = { code: number | null; signal: NodeJS.Signals | null } | { error: Error };

/** Some of what keeps a program from being started is thrown, the rest comes as an event. */
function start({ argv, cwd, env }: Command): Child | Error {
  const [program = '', ...args] = argv;
  try {
    return spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  } catch (error) {
    return error as Error;
  }
}

function endOf(child: Child): Promise<End> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

function tailOf(child: Child): { read(): RawOutput; closed: Promise<unknown> } {
  let bytes = Buffer.alloc(0);
  let isCut = false;
  const take = (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    isCut ||= bytes.length > OUTPUT_BYTES;
    if (isCut) bytes = bytes.subarray(bytes.length - OUTPUT_BYTES);
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  return {
    // A cut may fall into the middle of a character.
    read: () => ({ text: bytes.toString('utf8').replace(/^\uFFFD+/, ''), isCut }),
    closed: new Promise((resolve) => child.once('close', resolve)),
  };
}

function aborted<T>(signal: AbortSignal, value: T): Promise<T> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(value), { once: true }));
}
