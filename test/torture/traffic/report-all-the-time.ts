import { createCrowd, pause } from '../pace.js';
import type { Random } from '../random.js';
import type { Activity, World } from '../world.js';
import { type Door, DOORS } from './doors.js';
import type { MadeEvent } from './ledger.js';
import { createEvents } from './make-event.js';

type Range = readonly [from: number, to: number];

/** How it comes for a while. */
const WEATHERS: readonly { weight: number; name: string; pauseMs: Range; atOnce: Range; lastsMs: Range }[] = [
  { weight: 3, name: 'drizzle', pauseMs: [400, 1_500], atOnce: [1, 2], lastsMs: [3_000, 8_000] },
  { weight: 4, name: 'rain', pauseMs: [150, 500], atOnce: [1, 3], lastsMs: [3_000, 10_000] },
  { weight: 1, name: 'burst', pauseMs: [300, 600], atOnce: [15, 40], lastsMs: [300, 900] },
  { weight: 1, name: 'nothing', pauseMs: [1_000, 1_000], atOnce: [0, 0], lastsMs: [1_000, 5_000] },
];

const AGAIN = 0.08;
/** Who waits for a door that does not answer keeps nobody else waiting, up to here. */
const UNDER_WAY = 12;

export const reportAllTheTime: Activity = async (world) => {
  await Promise.all(world.site.tenants.map((tenant) => reportFor(world, tenant)));
};

async function reportFor(world: World, tenant: string): Promise<void> {
  const random = world.random.fork(`events of ${tenant}`);
  const events = createEvents(tenant, random);
  const crowd = createCrowd(UNDER_WAY);
  const made: MadeEvent[] = [];
  let batches = 0;
  while (!world.over.aborted) {
    const weather = random.weighted(WEATHERS);
    const untilAt = Date.now() + random.between(...weather.lastsMs);
    while (Date.now() < untilAt && !world.over.aborted) {
      const batch = Array.from({ length: random.between(...weather.atOnce) }, () => {
        const event = random.chance(AGAIN) && made.length > 0 ? random.pick(made.slice(-20)) : events.make();
        made.push(event);
        return event;
      });
      const door = random.weighted(DOORS);
      if (!crowd.isFull()) crowd.add(sendBatch(world, tenant, door, batch, random.fork(`batch ${++batches}`)));
      await pause(random.between(...weather.pauseMs), world.over);
    }
  }
  await crowd.done();
}

/** Through this door as far as it takes them. */
async function sendBatch(
  world: World,
  tenant: string,
  door: Door,
  events: readonly MadeEvent[],
  random: Random,
): Promise<void> {
  const carried = [...new Map(events.filter(door.carries).map((event) => [event.id, event])).values()];
  for (let from = 0; from < carried.length; from += door.mostAtOnce) {
    const batch = carried.slice(from, from + door.mostAtOnce);
    const isTaken = await send(world, tenant, door, batch);
    // Some reporters try again with what they do not know to be stored, through any door.
    if (!isTaken && random.chance(0.5) && !world.over.aborted)
      await send(world, tenant, random.pick(SURE_DOORS), batch);
  }
}

const SURE_DOORS = DOORS.filter(({ name }) => name === 'sdk');

export async function send(
  { site, ledger, tally }: World,
  tenant: string,
  door: Door,
  events: readonly MadeEvent[],
): Promise<boolean> {
  for (const event of events) {
    const id = door.idOf(event);
    if (id !== undefined) ledger.sending({ id, tenant }, door.name);
  }
  try {
    const ids = await door.report(site, tenant, events);
    ledger.acknowledged(ids, tenant, door.name);
    tally.add('events', door.name, events.length);
    return true;
  } catch {
    tally.add('events not taken', door.name, events.length);
    return false;
  }
}
