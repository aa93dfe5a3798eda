import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { endGroup } from './process-group.js';

const STEP_MS = 50;

/**
 * A worker that was killed leaves its agent running. Before the same action is tried again here, that agent is ended with all
 * it has started: every process whose environment carries a session that was chosen for an earlier attempt. Where that cannot be
 * read, nothing is touched.
 */
export async function endLeftovers(sessions: readonly string[]): Promise<void> {
  if (sessions.length === 0) return;
  const marks = new Set(sessions.map((session) => `MESH_AGENT_SESSION=${session}`));
  const groups = new Map<number, number[]>();
  for (const { pid, group } of await processesOf(marks)) groups.set(group, [...(groups.get(group) ?? []), pid]);
  // An agent may have started the very worker that does this.
  groups.delete((await placeOf(process.pid))?.group ?? 0);
  await Promise.all([...groups].map(([group, pids]) => endGroup(group, gone(pids, marks))));
}

interface Place {
  pid: number;
  group: number;
}

async function processesOf(marks: ReadonlySet<string>): Promise<Place[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const places = await Promise.all(
    pids.map(async (pid) => ((await isOf(pid, marks)) ? placeOf(pid) : Promise.resolve(undefined))),
  );
  return places.filter((place) => place !== undefined);
}

async function gone(pids: number[], marks: ReadonlySet<string>): Promise<void> {
  for (const pid of pids) {
    while (await isOf(pid, marks)) await wait(STEP_MS);
  }
}

/** Not of one that is gone, or dead and not yet collected, or somebody else's. */
async function isOf(pid: number, marks: ReadonlySet<string>): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  return environment.split('\0').some((variable) => marks.has(variable));
}

/** The name of the program, which stands in parentheses before the numbers, may hold some itself. */
async function placeOf(pid: number): Promise<Place | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  return Number.isInteger(group) && group > 1 ? { pid, group } : undefined;
}
