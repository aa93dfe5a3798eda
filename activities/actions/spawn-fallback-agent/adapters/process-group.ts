import { setTimeout as wait } from 'node:timers/promises';

/** An abort is heard of after up to two seconds, and the whole group is to be gone within five. */
const TERM_GRACE_MS = 2_000;

/** Asks a process group to end, and kills what is left of it. `ending` settles when its leader has ended. */
export async function endGroup(group: number, ending: Promise<unknown>): Promise<void> {
  signalGroup(group, 'SIGTERM');
  await Promise.race([ending, wait(TERM_GRACE_MS)]);
  // Also when the leader ended politely: what it started may not have.
  signalGroup(group, 'SIGKILL');
  await ending;
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
