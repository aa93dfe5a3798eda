import { Context } from '@temporalio/activity';
import { type CapacityTarget, type Environment, TargetFailure } from './target.js';
import type { TimeLimit } from './attempt.js';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;

export interface Wanted {
  environment: string;
  ensure: number;
}

/** Looks at the environment until it has what was asked for. That a request was accepted does not mean it is ready. */
export async function awaitReady(
  target: CapacityTarget,
  { environment, ensure }: Wanted,
  limit: TimeLimit,
): Promise<void> {
  let last: TargetFailure | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const seen = await lookAt(target, environment, limit.signal);
    let waitMs = pauseMs;
    if (seen instanceof TargetFailure) {
      // A look that fails says less than what was seen before it.
      last ??= seen;
      waitMs = Math.max(pauseMs, seen.retryAfterMs ?? 0);
    } else {
      const { ready, wanted = ensure } = seen;
      // There is nothing to wait for: a lease that has just ended may have given it back. The next attempt asks again.
      if (wanted < ensure) throw failure(`environment ${environment} was lowered to ${wanted} meanwhile`);
      if (ready >= ensure) return;
      last = failure(`environment ${environment} has ${ready} of ${ensure} ready within ${limit.timeoutMs}ms`);
    }
    if (Date.now() + waitMs >= limit.endsAt) throw last;
    await Context.current().sleep(waitMs);
  }
}

/** Answers a failure that may pass, and throws any other. */
async function lookAt(
  target: CapacityTarget,
  environment: string,
  signal: AbortSignal,
): Promise<Environment | TargetFailure> {
  try {
    return await target.verify(environment, signal);
  } catch (error) {
    if (error instanceof TargetFailure && !error.isFinal) return error;
    throw error;
  }
}

function failure(message: string): TargetFailure {
  return new TargetFailure(message, { isFinal: false });
}
