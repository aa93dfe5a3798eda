/** How many agents of each launcher this worker runs just now. */
export interface Slots {
  /** Takes a slot and gives what frees it again; nothing when all of them are taken. */
  take(launcher: string, max: number): (() => void) | undefined;
}

export function createSlots(): Slots {
  const taken = new Map<string, number>();
  return {
    take(launcher, max) {
      const count = taken.get(launcher) ?? 0;
      if (count >= max) return undefined;
      taken.set(launcher, count + 1);
      return () => void taken.set(launcher, (taken.get(launcher) ?? 1) - 1);
    },
  };
}
