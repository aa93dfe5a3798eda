import { createCrowd, pause } from '../pace.js';
import type { Random } from '../random.js';
import { HTTP_MOODS } from '../receivers/moody-http.js';
import type { KeptProcess } from '../site/kept-process.js';
import type { Activity, World } from '../world.js';
import { ambushAfterAcknowledging, ambushAtReceiver } from './ambush.js';

type Harm = (world: World, random: Random) => Promise<void>;

/** What is done to the mesh and what it needs. Each ends by itself. A new kind is a row. */
export const FAULTS: readonly { name: string; weight: number; run: Harm }[] = [
  { name: 'ambush at a receiver', weight: 5, run: ambushAtReceiver },
  { name: 'ambush after an acknowledged event', weight: 5, run: ambushAfterAcknowledging },
  { name: 'worker killed', weight: 4, run: ({ site }, random) => kill(random.pick(site.workers), random) },
  { name: 'worker frozen', weight: 2, run: ({ site }, random) => freeze(random.pick(site.workers), random) },
  { name: 'worker restarted', weight: 1, run: ({ site }, random) => random.pick(site.workers).restart() },
  { name: 'gateway killed', weight: 2, run: ({ site }, random) => kill(site.gateway, random) },
  { name: 'gateway frozen', weight: 1, run: ({ site }, random) => freeze(site.gateway, random) },
  { name: 'server killed', weight: 2, run: ({ site }, random) => kill(site.server, random) },
  { name: 'server frozen', weight: 1, run: ({ site }, random) => freeze(site.server, random) },
  { name: 'moody HTTP receiver', weight: 4, run: spoilHttp },
  { name: 'moody mail server', weight: 2, run: spoilMail },
];

/** So many at a time. */
const SIDE_BY_SIDE = 2;

/** With those whose names match. */
export const doHarm =
  (wanted: RegExp): Activity =>
  async (world) => {
    const faultsWanted = FAULTS.filter(({ name }) => wanted.test(name));
    if (faultsWanted.length === 0) return;
    const random = world.random.fork('faults');
    const crowd = createCrowd(SIDE_BY_SIDE);
    let faults = 0;
    while (!world.over.aborted) {
      await pause(random.between(1_500, 5_000), world.over);
      if (world.over.aborted || crowd.isFull()) continue;
      const { name, run } = random.weighted(faultsWanted);
      world.tally.add('faults', name);
      crowd.add(run(world, random.fork(`fault ${++faults}`)));
    }
    await crowd.done();
  };

/** What is hurt already is left alone. */
async function kill(victim: KeptProcess | undefined, random: Random): Promise<void> {
  if (victim && !victim.isHurt()) await victim.kill(random.between(0, 2_000));
}

async function freeze(victim: KeptProcess | undefined, random: Random): Promise<void> {
  if (victim && !victim.isHurt()) await victim.freeze(random.between(500, 7_000));
}

async function spoilHttp({ receivers, over, tally }: World, random: Random): Promise<void> {
  const mood = random.pick(HTTP_MOODS);
  const receiver = random.pick(Object.values(receivers.http));
  tally.add('moods', mood);
  await receiver.mood(mood);
  await pause(random.between(500, 4_000), over);
  await receiver.mood('good');
}

const MAIL_MOODS = ['refuses', 'drops', 'hangs', 'is down'] as const;

async function spoilMail({ receivers, over, tally }: World, random: Random): Promise<void> {
  const { mail } = receivers;
  const mood = random.pick(MAIL_MOODS);
  tally.add('moods', `mail ${mood}`);
  if (mood === 'refuses') mail.script.push(451, 421, 451);
  if (mood === 'drops') mail.script.push('drop');
  if (mood === 'hangs') mail.script.push('hang', 'hang');
  if (mood === 'is down') await mail.down();
  await pause(random.between(500, 4_000), over);
  mail.script.splice(0);
  // Cuts off whoever hangs, who would wait for ten minutes.
  if (mood === 'hangs') await mail.down();
  await mail.up();
}
