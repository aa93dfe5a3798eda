import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import { summaryOf } from '#contract/text/shorten.js';

export interface Alarm {
  /** Makes sure the alarm rings at `at` or before: who hears it looks at the clock and asks again. */
  ringBy(at: number, summary: string): void;
  isRinging(): boolean;
  silence(): void;
}

/**
 * One durable timer for everything the watch waits for. A timer per wait would cost two events of history each time an
 * event comes in before it; this one is moved only when something is due earlier than it would ring.
 */
export function createAlarm(): Alarm {
  let ringsAt = Infinity;
  let ringing = false;
  let current: CancellationScope | undefined;

  return { ringBy, isRinging: () => ringing, silence: () => (ringing = false) };

  function ringBy(at: number, summary: string): void {
    if (at >= ringsAt) return;
    current?.cancel();
    ringsAt = at;
    const mine = new CancellationScope();
    current = mine;
    void wait(mine, Math.max(1, at - Date.now()), summary);
  }

  async function wait(mine: CancellationScope, ms: number, summary: string): Promise<void> {
    try {
      await mine.run(() => sleep(ms, { summary: summaryOf(summary) }));
    } catch (error) {
      // Moved to an earlier time. The watch itself is never cancelled.
      if (isCancellation(error)) return;
      throw error;
    }
    if (current !== mine) return;
    ringing = true;
    ringsAt = Infinity;
    current = undefined;
  }
}
