import type { ActionResult } from './remediation.js';

/** Whether a retry leaves it alone. Failed or aborted, it is run once more. */
export function isDone({ status }: Pick<ActionResult, 'status'>): boolean {
  return status === 'executed' || status === 'skipped';
}
