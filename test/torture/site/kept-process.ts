import type { Tally } from '../tally.js';
import { pause } from '../pace.js';

/** One life of a program. */
export interface Life {
  pid: number;
  ended: Promise<unknown>;
  /** Asks it to end. */
  stop(): Promise<unknown>;
}

/** A program that is started again whenever it has ended, as a service manager would, and that faults are done to. */
export interface KeptProcess {
  name: string;
  /** Somebody has it killed or frozen just now. */
  isHurt(): boolean;
  /** SIGKILL, and a new life after a while. */
  kill(downMs: number): Promise<void>;
  /** SIGSTOP, and SIGCONT after a while. */
  freeze(forMs: number): Promise<void>;
  /** Asked to end, and a new life after that. */
  restart(): Promise<void>;
  /** Resolves when it runs and nobody hurts it. */
  whole(): Promise<void>;
  close(): Promise<void>;
}

const AFTER_FAILED_START_MS = 300;

export async function keepProcess(name: string, start: () => Promise<Life>, tally: Tally): Promise<KeptProcess> {
  const closing = new AbortController();
  let life: Life | undefined;
  let hurt = Promise.resolve();
  let hurts = 0;
  let isEndExpected = false;
  let revived: Promise<void> | undefined;
  let mayRevive = Promise.resolve();

  adopt(await start());

  function adopt(born: Life): void {
    life = born;
    isEndExpected = false;
    void born.ended.then(() => {
      if (closing.signal.aborted || life !== born) return;
      life = undefined;
      if (!isEndExpected) tally.add('ended by itself', name);
      revived = revive();
    });
  }

  async function revive(): Promise<void> {
    await mayRevive;
    while (!closing.signal.aborted) {
      try {
        return adopt(await start());
      } catch (error) {
        // Mostly because what it needs is down as well.
        tally.add('starts in vain', `${name}: ${String(error).slice(0, 60)}`);
        await pause(AFTER_FAILED_START_MS, closing.signal);
      }
    }
  }

  /** One after the other: what is frozen cannot be asked to end. */
  function harm(how: (victim: Life) => Promise<void>): Promise<void> {
    hurts += 1;
    hurt = hurt.then(async () => {
      await revived;
      if (life) await how(life);
      hurts -= 1;
    });
    return hurt;
  }

  return {
    name,
    isHurt: () => hurts > 0,
    kill: (downMs) =>
      harm(async ({ pid, ended }) => {
        tally.add('killed', name);
        isEndExpected = true;
        mayRevive = ended.then(() => pause(downMs, closing.signal));
        signal(pid, 'SIGKILL');
        await ended;
      }),
    freeze: (forMs) =>
      harm(async ({ pid }) => {
        tally.add('frozen', name);
        const fromAt = Date.now();
        signal(pid, 'SIGSTOP');
        await pause(forMs, closing.signal);
        signal(pid, 'SIGCONT');
        tally.froze(name, fromAt);
      }),
    restart: () =>
      harm(async ({ ended, stop }) => {
        isEndExpected = true;
        await stop();
        await ended;
      }),
    async whole() {
      await hurt;
      await revived;
    },
    async close() {
      closing.abort();
      await hurt;
      await revived;
      await life?.stop();
    },
  };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}
