import { setMaxListeners } from 'node:events';
import type { Connection } from '@temporalio/client';

/** The calls to the server that are on their way, each with its own end. */
export interface Calls {
  run<T>(deadlineAt: number, call: () => Promise<T>): Promise<T>;
  /** True once `abort` was called: from then on nothing is tried again. */
  isOver(): boolean;
  /** Ends what is on its way. */
  abort(): void;
}

/** One signal for each call: the client adds a listener to the one it is given and never takes it away. */
export function createCalls(connectionOf: () => Connection): Calls {
  const running = new Set<AbortController>();
  let isOver = false;

  return {
    async run(deadlineAt, call) {
      const mine = new AbortController();
      // A call that is tried again leaves one for each try.
      setMaxListeners(0, mine.signal);
      running.add(mine);
      if (isOver) mine.abort();
      try {
        const connection = connectionOf();
        return await connection.withAbortSignal(mine.signal, () => connection.withDeadline(deadlineAt, call));
      } finally {
        running.delete(mine);
      }
    },
    isOver: () => isOver,
    abort() {
      isOver = true;
      for (const one of running) one.abort();
    },
  };
}
