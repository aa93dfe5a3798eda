import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { WatchStatus } from '#contract/watch.js';
import type { World } from '../world.js';
import { arrivalsIn, type Evidence, remediationsIn, type Settled } from './evidence.js';
import { readStatus } from './look.js';
import { readHistories } from './read-histories.js';
import { readRecords } from './read-records.js';
import { addRowsIn } from './rows-in-histories.js';

/** Takes everything down that there is to be seen at the end. */
export async function collectEvidence(world: World, settled: Settled, mostUnseen: number): Promise<Evidence> {
  const { site, ledger, gathered, receivers, tally } = world;
  const statuses = new Map<string, WatchStatus>();
  for (const tenant of site.tenants) {
    const status = await readStatus(world, tenant).catch(() => undefined);
    if (status) statuses.set(tenant, status);
  }
  const runs = await readHistories(site.client);
  addRowsIn(runs, gathered);
  const logs = await Promise.all(site.workerLogs.map((file) => readFile(file, 'utf8')));
  return {
    ...{ tenants: site.tenants, ledger, gathered, runs, statuses, receivers, settled, mostUnseen },
    recorded: await readRecords(site.workerLogs.map(dirname), site.tenants),
    remediations: remediationsIn(runs),
    arrivals: arrivalsIn(runs),
    rules: site.rules.versions,
    freezes: tally.freezes(),
    programRuns: await receivers.programRuns(),
    nondeterminismLines: logs.flatMap((log) => log.split('\n')).filter((line) => /non-?determini/i.test(line)).length,
  };
}
