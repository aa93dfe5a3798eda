import { existsSync } from 'node:fs';
import { readDatabase } from '#adapters/record/database.js';
import { findEvents, type Position } from '#adapters/record/find-entries.js';
import { recordFile } from '#adapters/record/record.js';
import { splitVerdicts } from '#client/explain-event.js';
import type { RecordedEvent } from '#contract/views/events.js';

const AT_ONCE = 1_000;

/** What the workers have recorded of each event, by tenant and id. Each has a record of its own; what was judged last counts. */
export async function readRecords(
  homes: readonly string[],
  tenants: readonly string[],
): Promise<Map<string, RecordedEvent>> {
  const found = new Map<string, RecordedEvent>();
  for (const path of homes.map(recordFile).filter((one) => existsSync(one))) {
    const db = readDatabase(path);
    for (const tenant of tenants) {
      let events: RecordedEvent[] = [];
      let after: Position | undefined;
      do {
        events = await findEvents(db, { tenant }, AT_ONCE, after);
        after = events.at(-1);
        for (const event of events) {
          const known = found.get(`${tenant} ${event.id}`);
          if (!known || lastJudged(known) < lastJudged(event)) found.set(`${tenant} ${event.id}`, event);
        }
      } while (events.length === AT_ONCE);
    }
    db.close();
  }
  return found;
}

/** A worker that has met copies of an event only, knows of no judging. */
function lastJudged({ at, verdicts }: RecordedEvent): number {
  return splitVerdicts(verdicts).judgings.length > 0 ? at : -1;
}
