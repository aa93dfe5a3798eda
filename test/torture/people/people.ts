import { BROKEN_RULES, editedRules } from '../mixed-rules.js';
import { createCrowd, pause } from '../pace.js';
import type { Random } from '../random.js';
import type { Activity, World } from '../world.js';

type Deed = (world: World, tenant: string, random: Random) => Promise<void>;

/** What people do while it all goes on. A new deed is a row. */
export const DEEDS: readonly { name: string; weight: number; run: Deed }[] = [
  { name: 'pause and resume', weight: 2, run: pauseAndResume },
  { name: 're-arm a rule', weight: 3, run: rearmOne },
  { name: 're-arm all', weight: 1, run: ({ site }, tenant) => site.mesh.rearm(tenant) },
  { name: 'edit rules', weight: 2, run: editRules },
  { name: 'break and mend rules', weight: 1, run: breakAndMend },
  { name: 'abort', weight: 2, run: abortOne },
  { name: 'retry', weight: 2, run: retryOne },
];

export const peopleAtWork: Activity = async (world) => {
  const random = world.random.fork('people');
  const crowd = createCrowd(4);
  let deeds = 0;
  while (!world.over.aborted) {
    await pause(random.between(800, 2_500), world.over);
    if (world.over.aborted || crowd.isFull()) continue;
    const { name, run } = random.weighted(DEEDS);
    const own = random.fork(`deed ${++deeds}`);
    crowd.add(doDeed(world, name, () => run(world, own.pick(world.site.tenants), own)));
  }
  await crowd.done();
};

/** Much is refused while servers are down, or since there is nothing to abort. */
async function doDeed({ tally }: World, name: string, run: () => Promise<void>): Promise<void> {
  await run().then(
    () => tally.add('people', name),
    () => tally.add('people in vain', name),
  );
}

async function pauseAndResume({ site, over }: World, tenant: string, random: Random): Promise<void> {
  await site.mesh.pause(tenant, 'torture');
  await pause(random.between(300, 2_000), over);
  await site.mesh.resume(tenant);
}

export async function rearmOne({ site }: World, tenant: string, random: Random): Promise<void> {
  await site.mesh.rearm(tenant, random.pick(site.rules.current(tenant)).id);
}

export async function editRules({ site }: World, tenant: string, random: Random): Promise<void> {
  await site.rules.write(tenant, editedRules(site.rules.current(tenant), random));
}

async function breakAndMend({ site, over }: World, tenant: string, random: Random): Promise<void> {
  await site.rules.writeBroken(tenant, random.pick(BROKEN_RULES));
  await pause(random.between(500, 3_000), over);
  await site.rules.mend(tenant);
}

async function abortOne({ site }: World, tenant: string, random: Random): Promise<void> {
  const { remediations } = await site.mesh.remediations({ tenant, outcome: 'running', limit: 20 });
  await site.mesh.abort(random.pick(remediations).id);
}

async function retryOne({ site }: World, tenant: string, random: Random): Promise<void> {
  const { remediations } = await site.mesh.remediations({ tenant, outcome: 'failed', limit: 20 });
  await site.mesh.retry(random.pick(remediations).id);
}
