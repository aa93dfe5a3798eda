import { setTimeout as wait } from 'node:timers/promises';
import { drain, type Drained, type DrainOptions } from './drain.js';
import { messageOf } from '#contract/text/words.js';

export interface KeepDrainingOptions extends Omit<DrainOptions, 'isOver' | 'eventOf'> {
  /** Says whose the entries are, as of now. Asked once a round: events of one session must not be told apart in the middle. */
  whose?(): Promise<NonNullable<DrainOptions['eventOf']>>;
  /** How often it looks. Default: 1,000. */
  everyMs?: number;
}

export interface Draining {
  /** Resolves when nothing of it runs any more. A batch on its way ends as `send` ends: close the mesh at the same time. */
  stop(): Promise<void>;
}

/** While the server is away there is no need to ask it every second. */
const LONGEST_PAUSE_MS = 15_000;

/** For a process that stays: sends what hooks leave in the spool, soon after they did. */
export function keepDraining({ everyMs = 1_000, whose, ...options }: KeepDrainingOptions): Draining {
  const stopping = new AbortController();
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };

  async function run(): Promise<void> {
    let pauseMs = everyMs;
    let lastProblem: string | undefined;
    while (!stopping.signal.aborted) {
      const drained = await tryDrain();
      const problem = drained.failure === undefined ? undefined : messageOf(drained.failure);
      // Said once, not with every try.
      if (problem !== undefined && problem !== lastProblem) options.log(`the spool cannot be sent now: ${problem}`);
      if (drained.sent > 0) options.log(`sent ${drained.sent} events of the spool`);
      lastProblem = problem;
      pauseMs = problem === undefined ? everyMs : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      await wait(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  async function tryDrain(): Promise<Drained> {
    try {
      const eventOf = await whose?.();
      return await drain({ ...options, ...(eventOf && { eventOf }), isOver: () => stopping.signal.aborted });
    } catch (error) {
      return { sent: 0, refused: 0, ended: 'failed', failure: error };
    }
  }
}
