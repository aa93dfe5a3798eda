/** Attempts under way at one receiver, such as the mails to one address or the posts to one webhook. */
export const MAX_AT_RECEIVER = 2;
/** Attempts that wait for those in this worker; whoever comes later is tried again later, and takes no place in it. */
export const MAX_IN_LINE = 20;
/** Longer than most attempts take: whoever waits for more waits for a receiver that hangs. */
export const LINE_WAIT_MS = 2_000;

export interface Place {
  leave(): void;
}

export interface Places {
  /** Nothing when the receiver is busy for too long, or the attempt is ended meanwhile. Never rejects. */
  take(receiver: string, ended: AbortSignal): Promise<Place | undefined>;
}

/** Bounds how many attempts one worker makes at each receiver, so that one that hangs leaves the worker to the others. */
export function createPlaces({ lineWaitMs = LINE_WAIT_MS } = {}): Places {
  const receivers = new Map<string, { taken: number; line: (() => void)[] }>();
  return {
    async take(receiver, ended) {
      const there = receivers.get(receiver) ?? { taken: 0, line: [] };
      receivers.set(receiver, there);
      if (there.taken < MAX_AT_RECEIVER) there.taken += 1;
      else if (there.line.length >= MAX_IN_LINE || !(await isCalled(there.line, lineWaitMs, ended))) return undefined;
      return {
        leave() {
          const next = there.line.shift();
          // The place is handed over, so it stays taken.
          if (next) return next();
          there.taken -= 1;
          if (there.taken === 0) receivers.delete(receiver);
        },
      };
    },
  };
}

function isCalled(line: (() => void)[], withinMs: number, ended: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (answer: boolean) => {
      clearTimeout(timer);
      ended.removeEventListener('abort', giveUp);
      resolve(answer);
    };
    const enter = () => settle(true);
    const giveUp = () => {
      line.splice(line.indexOf(enter), 1);
      settle(false);
    };
    const timer = setTimeout(giveUp, withinMs);
    ended.addEventListener('abort', giveUp, { once: true });
    line.push(enter);
  });
}
