import { setMaxListeners } from 'node:events';

/** A timer takes no more. A longer time would make it end at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export type EndedBy = 'caller' | 'time' | 'closing';

export interface CallLimit {
  timeoutMs: number;
  signal: AbortSignal;
  endedBy(): EndedBy | undefined;
  end(by: EndedBy): void;
  /** Called when the call is over, so that no timer and no listener stays. */
  clear(): void;
}

/** Everything that can end a call before its answer, as one signal that knows the reason. */
export function limitCall(timeoutMs: number, caller: AbortSignal | undefined): CallLimit {
  const controller = new AbortController();
  // Each hop adds a listener of its own, which stays until the call is over.
  setMaxListeners(0, controller.signal);
  let endedBy: EndedBy | undefined;
  const end = (by: EndedBy) => {
    endedBy ??= by;
    controller.abort();
  };
  const cancel = () => end('caller');
  const timer = setTimeout(() => end('time'), Math.min(timeoutMs, LONGEST_TIMER_MS));
  if (caller?.aborted) cancel();
  else caller?.addEventListener('abort', cancel, { once: true });
  return {
    timeoutMs,
    signal: controller.signal,
    endedBy: () => endedBy,
    end,
    clear() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', cancel);
    },
  };
}
