import { editRules, rearmOne } from '../people/people.js';
import { pause } from '../pace.js';
import type { Random } from '../random.js';
import { DOORS } from '../traffic/doors.js';
import { createEvents } from '../traffic/make-event.js';
import { send } from '../traffic/report-all-the-time.js';
import type { World } from '../world.js';

// Workers die between the start of remediations and the moment when the watch has that on record, and when they come back
// something else is not as it was.

type Change = (world: World, tenant: string, random: Random) => Promise<unknown>;

/** What happens before there is a worker again. A new one is a row. */
const CHANGES: readonly { name: string; weight: number; run: Change }[] = [
  { name: 'nothing', weight: 2, run: () => Promise.resolve() },
  { name: 'pause', weight: 2, run: ({ site }, tenant) => site.mesh.pause(tenant, 'ambush') },
  { name: 'rule edit', weight: 2, run: editRules },
  { name: 're-arm', weight: 2, run: rearmOne },
];

const NOBODY_CAME_MS = 5_000;
let ambushes = 0;

/** The first time that something comes to a receiver. */
export async function ambushAtReceiver(world: World, random: Random): Promise<void> {
  const { receivers, over } = world;
  const came = new Promise<boolean>((resolve) => receivers.onFirst(() => resolve(true)));
  const isThere = await Promise.race([came, pause(NOBODY_CAME_MS, over).then(() => false)]);
  receivers.onFirst(() => undefined);
  if (isThere) await strike(world, random, random.pick(world.site.tenants));
}

/** Right after a door has said that an event is stored which is sure to be matched. */
export async function ambushAfterAcknowledging(world: World, random: Random): Promise<void> {
  const tenant = random.pick(world.site.tenants);
  const [sdk] = DOORS;
  const event = createEvents(tenant, random).make();
  const id = `${tenant}-ambush-${++ambushes}`;
  const matched = { ...event, id, event: 'TaskCompleted', outcome: 'failed' } as const;
  if (!sdk || !(await send(world, tenant, sdk, [matched]))) return;
  await pause(random.between(0, 120), world.over);
  await strike(world, random, tenant);
}

async function strike(world: World, random: Random, tenant: string): Promise<void> {
  const { site, tally, over } = world;
  const { name, run } = random.weighted(CHANGES);
  tally.add('changes in an ambush', name);
  const kills = site.workers
    .filter((worker) => !worker.isHurt())
    .map((worker) => worker.kill(random.between(0, 1_000)));
  await Promise.all([...kills, run(world, tenant, random).catch(() => tally.add('people in vain', `ambush: ${name}`))]);
  if (name !== 'pause') return;
  await pause(random.between(500, 3_000), over);
  await site.mesh.resume(tenant).catch(() => tally.add('people in vain', 'ambush: resume'));
}
