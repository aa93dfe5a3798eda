/** Sessions of the agents that this process stays with just now, whichever worker in it has started them. */
const live = new Set<string>();

/** A session, and not a process group: what an agent starts carries the session into groups of its own. */
export async function supervise<T>(session: string, run: () => Promise<T>): Promise<T> {
  live.add(session);
  try {
    return await run();
  } finally {
    live.delete(session);
  }
}

export function isSupervised(session: string): boolean {
  return live.has(session);
}
