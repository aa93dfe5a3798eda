import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { isSupervised } from './live-agents.js';
import { endGroup } from './process-group.js';

const STEP_MS = 50;
/** A process that cannot be killed, such as while a disk does not answer, is left to the next attempt. */
const GONE_WITHIN_MS = 5_000;
/** A stopping worker waits until the agent is gone. */
const STRAY_GONE_WITHIN_MS = 500;

/** Which agents are left over: those of one action of one remediation. */
export interface LeftoversOf {
  remediation: string;
  action: string;
  /** Sessions that were chosen for earlier attempts, which the server has given up. */
  earlierSessions: readonly string[];
  /** Whether the lineage token is one that this very mesh has signed: another one on this machine may use the same names. */
  isOurs(token: string): boolean;
}

/**
 * A worker that was killed leaves its agent running. Before the same action is tried again here, that agent is ended with all
 * it has started: every process whose environment names the action, whichever attempt it was for. Not so an agent that this
 * worker itself stays with. Where an environment cannot be read, nothing is touched.
 */
export async function endLeftovers(which: LeftoversOf): Promise<void> {
  const isSought = (session: string) => which.earlierSessions.includes(session) || !isSupervised(session);
  const groups = await groupsOf({ ...which, isSought });
  await Promise.all(
    [...groups].map(([group, pids]) => endGroup(group, gone(pids, { ...which, isSought }, GONE_WITHIN_MS))),
  );
}

/**
 * Ends what an agent has started in process groups of its own, beside the group that it runs in itself. Never rejects: what does
 * not end is left, and looked for again before the next launch.
 */
export async function endStrays(
  which: LeftoversOf,
  { session, group: own, graceMs }: { session: string; group: number; graceMs: number },
): Promise<void> {
  const sought = { ...which, isSought: (one: string) => one === session };
  const groups = await groupsOf(sought);
  groups.delete(own);
  await Promise.allSettled(
    [...groups].map(([group, pids]) => endGroup(group, gone(pids, sought, graceMs + STRAY_GONE_WITHIN_MS), graceMs)),
  );
}

type Sought = Pick<LeftoversOf, 'remediation' | 'action' | 'isOurs'> & { isSought(session: string): boolean };

async function groupsOf(which: Sought): Promise<Map<number, number[]>> {
  const groups = new Map<number, number[]>();
  for (const { pid, group } of await processesOf(which)) groups.set(group, [...(groups.get(group) ?? []), pid]);
  // An agent may have started this worker itself.
  groups.delete((await placeOf(process.pid))?.group ?? 0);
  return groups;
}

interface Place {
  pid: number;
  group: number;
}

async function processesOf(which: Sought): Promise<Place[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const places = await Promise.all(
    pids.map(async (pid) => ((await isLeftover(pid, which)) ? placeOf(pid) : Promise.resolve(undefined))),
  );
  return places.filter((place) => place !== undefined);
}

async function gone(pids: number[], which: Sought, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  for (const pid of pids) {
    while (await isLeftover(pid, which)) {
      if (performance.now() > giveUpAt)
        throw new Error(`process ${pid}, left over from an earlier agent, does not end`);
      await wait(STEP_MS);
    }
  }
}

/** Nothing for a process that is gone, that is dead and not yet collected, or that belongs to another user. */
async function isLeftover(pid: number, which: Sought): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  const lines = environment.split('\0');
  if (!lines.includes(`MESH_REMEDIATION=${which.remediation}`) || !lines.includes(`MESH_ACTION=${which.action}`)) {
    return false;
  }
  if (!which.isOurs(valueOf('MESH_LINEAGE', lines))) return false;
  return which.isSought(valueOf('MESH_AGENT_SESSION', lines));
}

function valueOf(name: string, lines: readonly string[]): string {
  return lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** The name of the program stands in parentheses before the numbers, and may hold parentheses itself. */
async function placeOf(pid: number): Promise<Place | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  return Number.isInteger(group) && group > 1 ? { pid, group } : undefined;
}
