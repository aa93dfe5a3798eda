import { setMaxListeners } from 'node:events';
import { ALL_CHECKS } from './checks/all-checks.js';
import type { Found } from './checks/check.js';
import { collectEvidence } from './evidence/collect.js';
import { keepHistories } from './evidence/keep-histories.js';
import { createGathered } from './evidence/gathered.js';
import { createRandom } from './random.js';
import { pause } from './pace.js';
import { mendAll } from './mend.js';
import { startReceivers } from './receivers/receivers.js';
import { type Report, reportOn } from './report.js';
import type { Scenario } from './scenario.js';
import { settle } from './settle.js';
import { openSite } from './site/site.js';
import { createTally } from './tally.js';
import { createLedger } from './traffic/ledger.js';
import type { World } from './world.js';

export interface TortureOptions {
  scenario: Scenario;
  seed: number;
  lastsMs: number;
  temporalBinary: string;
  say(line: string): void;
}

/** In every scenario there is something for each check to look at: one that finds nothing has lost sight of it. */
function lookedAtSomething(found: Found): Found {
  if (found.looked > 0) return found;
  return { ...found, violations: [...found.violations, 'there was nothing to look at'] };
}

/** An activity that fails ends the run, and one that has nothing more to do does not. */
function failure(activities: Promise<unknown>): Promise<never> {
  return new Promise((_resolve, reject) => void activities.catch(reject));
}

/** Lets it all go on for a while, mends everything, waits until all has settled, and looks at what came of it. */
export async function runTorture({ scenario, seed, lastsMs, temporalBinary, say }: TortureOptions): Promise<Report> {
  const tally = createTally();
  const receivers = await startReceivers();
  try {
    const site = await openSite({ ...scenario.site, temporalBinary }, receivers, tally);
    try {
      const [over, never] = [new AbortController(), new AbortController()];
      // Every loop listens to it.
      setMaxListeners(0, over.signal, never.signal);
      const world: World = {
        ...{ site, receivers, tally },
        random: createRandom(seed),
        ledger: createLedger(),
        gathered: createGathered(),
        over: over.signal,
      };
      say(`${scenario.name}, seed ${seed}: everything runs in ${site.folder}`);
      const activities = Promise.all(scenario.activities.map((activity) => activity(world)));
      await Promise.race([pause(lastsMs, never.signal), failure(activities)]);
      over.abort();
      await activities;
      say('The faults are over. Mending, and waiting until all has settled …');
      await mendAll(world);
      const settled = await settle(world, never.signal);
      say(`Waited ${Math.round(settled.tookMs / 1_000)} s. Looking at what came of it …`);
      const evidence = await collectEvidence(world, settled, scenario.mostUnseen);
      const kept = await keepHistories(site.client, evidence.runs);
      if (kept !== undefined) say(`Histories of workflows whose tasks failed are kept in ${kept}.`);
      const results = ALL_CHECKS.map((check) => ({ name: check.name, ...lookedAtSomething(check.run(evidence)) }));
      return reportOn({ scenario: scenario.name, seed, lastsMs, tally, results });
    } finally {
      await site.close();
    }
  } finally {
    await receivers.close();
  }
}
