import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { RecordedRun } from './read-histories.js';

/** What failed can be replayed later only from its history, and the server goes with the run. Tells in which folder they are. */
export async function keepHistories(client: Client, runs: readonly RecordedRun[]): Promise<string | undefined> {
  const failed = runs.filter(({ failedTasks }) => failedTasks.some(({ cause }) => cause !== 'UNHANDLED_COMMAND'));
  if (failed.length === 0) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'mesh-torture-histories-'));
  for (const { id, runId } of failed) {
    const history = historyToJSON(await client.workflow.getHandle(id, runId).fetchHistory());
    await writeFile(join(folder, `${encodeURIComponent(id)}-${runId}.json`), history);
  }
  return folder;
}
