/** Sessions of the agents that this process stays with now. Any worker in the process may have started them. */
const live = new Set<string>();

/** The session counts, not the process group: an agent's programs carry the session into groups of their own. */
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
