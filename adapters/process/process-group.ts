import { setTimeout as wait } from 'node:timers/promises';

/** A worker hears of an abort after about a second, and the whole group must be gone within five. */
export const TERM_GRACE_MS = 2_000;
/** What was killed takes a moment to be gone. What nobody collects then is dead all the same. */
const GONE_WITHIN_MS = 500;
const STEP_MS = 20;

/**
 * Asks a process group to end, and kills what is left of it. `ending` settles when its leader has ended. Answers false when
 * something of it goes on that runs as another user, such as what `sudo` has started.
 */
export async function endGroup(
  group: number,
  ending: Promise<unknown>,
  graceMs: number = TERM_GRACE_MS,
): Promise<boolean> {
  signalGroup(group, 'SIGTERM');
  await Promise.race([ending, wait(graceMs)]);
  // Also when the leader ended politely: what it started may not have.
  if (!signalGroup(group, 'SIGKILL')) return false;
  await ending;
  const giveUpAt = performance.now() + GONE_WITHIN_MS;
  while (isThere(group) && performance.now() < giveUpAt) await wait(STEP_MS);
  return true;
}

/** False when none of the group may be signalled. */
function signalGroup(group: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EPERM') return false;
    if (code === 'ESRCH') return true;
    throw error;
  }
}

function isThere(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}
