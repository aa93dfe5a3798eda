import type { World } from './world.js';

/** Ends every fault that may still last: receivers are in a good mood, programs run, rules are valid, nobody is paused. */
export async function mendAll({ receivers, site }: World): Promise<void> {
  const { agents, webhook, slack } = receivers.http;
  for (const one of [agents, webhook, slack]) await one.mood('good');
  receivers.mail.script.splice(0);
  await receivers.mail.up();
  for (const tenant of site.tenants) await site.rules.mend(tenant);
  await site.whole();
  // There may be no watch to resume, when nothing of that tenant was ever taken.
  await Promise.allSettled(site.tenants.map((tenant) => site.mesh.resume(tenant)));
}
