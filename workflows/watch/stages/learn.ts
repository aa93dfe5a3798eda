import { type Ledgers, rowsOf } from '../ledgers/index.js';
import type { Judged } from '../judged.js';
import type { Arrived } from './match.js';

/** Every ledger learns of the event what concerns it. All was found out before, so that no event is half-learnt. */
export function learn(ledgers: Ledgers, arrived: Arrived, judged: Judged): void {
  for (const [, ledger] of rowsOf(ledgers)) ledger.learn?.(judged);
  if (judged.seenId !== undefined) arrived.isSeen = true;
}
