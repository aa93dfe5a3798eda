import { utc } from './text/markdown.js';
import type { ActionResult } from './remediation.js';

/** Until when what an action made ready is there, to be told behind what it did. Somebody else may keep it for longer. */
export function keptUntil({ leaseUntilAt }: Pick<ActionResult, 'leaseUntilAt'>): string {
  return leaseUntilAt === undefined ? '' : `, kept until ${utc(leaseUntilAt)} at least`;
}
