import type { Fire, StartAnswer, StartRequest, WatchActivities } from '../contract/activities.js';
import { makePlan } from '../rules/make-plan.js';
import type { World } from './world.js';

const AT_ONCE = 10;

/** Starts a remediation per fire. The id decides: one that exists already, running or done, is left as it is. */
export function makeStartRemediations(
  world: Pick<World, 'rulesets' | 'workflows'>,
): WatchActivities['startRemediations'] {
  return async (request) => {
    const answers: StartAnswer[] = [];
    for (let from = 0; from < request.fires.length; from += AT_ONCE) {
      const chunk = request.fires.slice(from, from + AT_ONCE);
      answers.push(...(await Promise.all(chunk.map((fire) => startOne(world, request, fire)))));
    }
    return answers;
  };
}

async function startOne(
  { rulesets, workflows }: Pick<World, 'rulesets' | 'workflows'>,
  { tenant, rulesetHash, firedAt }: StartRequest,
  fire: Fire,
): Promise<StartAnswer> {
  const { rule, actions } = fire;
  const ruleset = rulesets.version(rulesetHash) ?? (await currentRuleset(rulesets, tenant));
  const plan = ruleset && makePlan(ruleset, { ...fire, tenant, firedAt, rulesetHash });
  if (!plan) return { error: `rule ${rule} is no longer in the ruleset` };
  const planned = plan.actions.filter(({ refused }) => refused === undefined);
  if (planned.length < actions.length) return { error: `rule ${rule} no longer has all the actions that fired` };
  return workflows.startRemediation(plan);
}

/** Another worker judged this batch with a version that this one never loaded: the rule as it is now is the best there is. */
async function currentRuleset(rulesets: World['rulesets'], tenant: string) {
  const loaded = await rulesets.get(tenant);
  // Tried again until they can be had: the guards are armed, and an error would lose the remediation.
  if (!loaded.available) throw new Error(`the rules cannot be read: ${loaded.problems.join('; ')}`);
  return loaded.ruleset;
}
