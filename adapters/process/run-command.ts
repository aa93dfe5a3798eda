import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { hostname } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { LONGEST_TIMER_MS } from '../http/call-limit.js';
import type { RawOutput } from './output-tail.js';
import { type Guard, releaseGuard, startGuard } from './guard.js';
import { endGroup, TERM_GRACE_MS } from './process-group.js';

export interface Command {
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  stdin: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Called once the process is there. */
  onStart(process: StartedProcess): void;
  /** Ends what it has put into other process groups than its own, where that can be told. Never rejects, and is soon over. */
  endStrays?(group: number, graceMs: number): Promise<void>;
}

/** Enough to find a process again: its number means something on its own machine only. */
export interface StartedProcess {
  pid: number;
  host: string;
}

export type CommandResult =
  | { ended: 'exit'; exitCode: number; output: RawOutput }
  | { ended: 'signal'; signal: NodeJS.Signals; output: RawOutput }
  /** `goesOn`: what is left of it runs as another user, and cannot be ended from here. */
  | { ended: 'timeout'; output: RawOutput; goesOn?: true }
  | { ended: 'cancelled'; goesOn?: true }
  | { ended: 'not-started'; error: Error };

/** More than is shown of it, so that a secret at its end is there as a whole and can be hidden. */
const OUTPUT_BYTES = 16 * 1024;
/** Output may still be on its way when the program has ended; children it left behind may hold the pipe open for ever. */
const DRAIN_MS = 500;

/**
 * Runs a program without a shell, in a process group of its own, and ends the whole group on cancel or timeout, with what it has
 * put into others. A guard ends the group should this worker die.
 */
export async function runCommand(command: Command): Promise<CommandResult> {
  if (command.signal.aborted) return { ended: 'cancelled' };
  const child = start(command);
  if (child instanceof Error) return { ended: 'not-started', error: child };
  const ending = endOf(child);
  if (child.pid === undefined) {
    const end = await ending;
    return { ended: 'not-started', error: 'error' in end ? end.error : new Error('it has no process') };
  }
  // A program that does not read its prompt closes the pipe early, which is its right.
  child.stdin.on('error', () => undefined);
  child.stdin.end(command.stdin);
  // To start it takes a few milliseconds, in which the agent is at work already.
  const guard = tryToGuard(child.pid, command.timeoutMs);
  try {
    return await stayWith(child, child.pid, ending, command);
  } finally {
    if (guard) releaseGuard(guard);
  }
}

/** None when no file descriptor or no memory is left for it: the agent is at work by then, and this worker stays with it. */
function tryToGuard(pid: number, limitMs: number): Guard | undefined {
  try {
    return startGuard(pid, limitMs);
  } catch {
    return undefined;
  }
}

async function stayWith(child: Child, pid: number, ending: Promise<End>, command: Command): Promise<CommandResult> {
  const tail = tailOf(child);
  command.onStart({ pid, host: hostname() });

  const limit = new AbortController();
  const timeout = setTimeout(() => limit.abort(), Math.min(command.timeoutMs, LONGEST_TIMER_MS));
  const first = await Promise.race([
    ending,
    aborted(command.signal, 'cancelled' as const),
    aborted(limit.signal, 'timeout' as const),
  ]);
  clearTimeout(timeout);

  if (first === 'cancelled' || first === 'timeout') {
    const isGone = await endAll(pid, ending, command);
    leave(child);
    const left = isGone ? {} : { goesOn: true as const };
    if (first === 'cancelled') return { ended: 'cancelled', ...left };
    return { ended: 'timeout', output: tail.read(), ...left };
  }
  if ('error' in first) return { ended: 'not-started', error: first.error };
  await Promise.race([tail.closed, wait(DRAIN_MS)]);
  leave(child);
  if (first.signal !== null) return { ended: 'signal', signal: first.signal, output: tail.read() };
  return { ended: 'exit', exitCode: first.code ?? -1, output: tail.read() };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;
type End = { code: number | null; signal: NodeJS.Signals | null } | { error: Error };

async function endAll(group: number, ending: Promise<End>, command: Command): Promise<boolean> {
  const [isGone] = await Promise.all([endGroup(group, ending), command.endStrays?.(group, TERM_GRACE_MS)]);
  // What it has started while it was asked to end.
  await command.endStrays?.(group, 0);
  return isGone;
}

/** Some of what keeps a program from being started is thrown, the rest comes as an event. */
function start({ argv, cwd, env }: Command): Child | Error {
  const [program = '', ...args] = argv;
  try {
    return spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  } catch (error) {
    return error as Error;
  }
}

/** What still runs of it, such as what it has put into a session of its own, must not hold up this process. */
function leave(child: Child): void {
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
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
