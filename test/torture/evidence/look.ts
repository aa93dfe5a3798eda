import type { Client } from '@temporalio/client';
import { QUERIES } from '#contract/names.js';
import { watchId } from '#contract/ids.js';
import type { Judgement, LoggedVerdict } from '#contract/views/verdicts.js';
import type { WatchStatus } from '#contract/watch.js';
import { keepOn } from '../pace.js';
import type { Activity, World } from '../world.js';

const ANSWER_WITHIN_MS = 3_000;

/** Reads the verdicts of every tenant often enough to miss none, or few. */
export const gatherVerdicts: Activity = async (world) => {
  const { tenants, client, impatientClient } = world.site;
  const gather = (by: Client) => (tenant: string) =>
    keepOn(
      world.over,
      () => 250,
      () => quietly(world, 'verdicts', () => readVerdicts(world, tenant, by)),
    );
  // As the commands of the mesh ask, and as others do at the same time, such as Temporal's UI. While one waits for an answer that
  // a killed worker will never give, the other may get its own.
  await Promise.all([...tenants.map(gather(client)), ...tenants.map(gather(impatientClient))]);
};

/** People who look all the time. */
export const lookAround: Activity = async (world) => {
  const random = world.random.fork('lookers');
  const look = async (tenant: string) => {
    await quietly(world, 'status', () => readStatus(world, tenant));
    const recent = world.ledger.recent(tenant, 30);
    if (recent.length > 0)
      await quietly(world, 'judgement', () => readJudgement(world, tenant, random.pick(recent).id));
    if (random.chance(0.2)) await quietly(world, 'list', () => world.site.mesh.remediations({ tenant, limit: 20 }));
  };
  const keepLooking = (tenant: string) =>
    keepOn(
      world.over,
      () => random.between(300, 1_200),
      () => look(tenant),
    );
  await Promise.all(world.site.tenants.map(keepLooking));
};

export async function readVerdicts(world: World, tenant: string, by?: Client): Promise<void> {
  world.gathered.add(tenant, await ask<LoggedVerdict[]>(world, tenant, QUERIES.verdicts, {}, by));
}

export async function readJudgement(world: World, tenant: string, eventId: string): Promise<Judgement> {
  const judgement = await ask<Judgement>(world, tenant, QUERIES.judgement, { eventId });
  world.gathered.add(tenant, judgement.verdicts);
  if (judgement.state === 'forgotten') world.gathered.forgotten.add(eventId);
  return judgement;
}

export function readStatus(world: World, tenant: string): Promise<WatchStatus> {
  return ask<WatchStatus>(world, tenant, QUERIES.status, {});
}

/** With a short time limit: what is asked of a worker that is dead by then must not keep one from asking the next. */
function ask<T>(
  { site }: World,
  tenant: string,
  query: string,
  argument: unknown,
  client: Client = site.client,
): Promise<T> {
  return client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () =>
    client.workflow.getHandle(watchId(tenant)).query<T, [unknown]>(query, argument),
  );
}

/** During faults most answers may fail to come, which is nobody's fault but theirs. */
async function quietly(world: World, what: string, look: () => Promise<unknown>): Promise<void> {
  await look().then(
    () => world.tally.add('looks', what),
    () => world.tally.add('looks in vain', what),
  );
}
