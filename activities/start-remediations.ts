import { Context } from '@temporalio/activity';
import type { Fire, StartAnswer, StartRequest, WatchActivities } from '../contract/activities.js';
import type { MeshEvent } from '../contract/event.js';
import { remediationId } from '../contract/ids.js';
import { makePlan } from '../rules/make-plan.js';
import { withHeartbeat } from './heartbeat.js';
import type { World } from './world.js';

const AT_ONCE = 10;

/**
 * Starts a remediation per fire. The id decides: one that exists already, running or done, is left as it is. The watch has
 * judged for good by then, so whatever an attempt has started before its worker died is found by the next.
 */
export function makeStartRemediations(
  world: Pick<World, 'rulesets' | 'workflows'>,
): WatchActivities['startRemediations'] {
  return (request) =>
    withHeartbeat(async () => {
      const fires = request.fires.map(({ eventIndex, ...fire }) => ({
        ...fire,
        event: request.events[eventIndex] as MeshEvent,
      }));
      const answers: StartAnswer[] = [];
      for (let from = 0; from < fires.length; from += AT_ONCE) {
        Context.current().cancellationSignal.throwIfAborted();
        const chunk = fires.slice(from, from + AT_ONCE);
        answers.push(...(await Promise.all(chunk.map((fire) => startOne(world, request, fire)))));
      }
      return answers;
    });
}

async function startOne(
  { rulesets, workflows }: Pick<World, 'rulesets' | 'workflows'>,
  { tenant, rulesetHash, firedAt }: StartRequest,
  fire: Fire,
): Promise<StartAnswer> {
  const { rule, actions } = fire;
  const judgedBy = rulesets.version(rulesetHash);
  // An attempt before this one may have been with a worker that knew that version.
  const remediation = remediationId(tenant, rule, fire.event.id);
  if (!judgedBy && (await workflows.isStarted(remediation))) return { remediation };

  const ruleset = judgedBy ?? (await currentRuleset(rulesets, tenant));
  const plan = makePlan(ruleset, { ...fire, tenant, firedAt, rulesetHash });
  if (!plan) return { error: `rule ${rule} is no longer in the ruleset` };
  const planned = plan.actions.filter(({ refused }) => refused === undefined);
  if (planned.length < actions.length) return { error: `rule ${rule} no longer has all the actions that fired` };
  return workflows.startRemediation(plan);
}

/** The worker that judged has died, and this one never loaded that version: the rule as it is now is the best there is. */
async function currentRuleset(rulesets: World['rulesets'], tenant: string) {
  const loaded = await rulesets.get(tenant);
  // Tried again until they can be had: the guards are armed, and an error would lose the remediation.
  if (!loaded.available) throw new Error(`the rules cannot be read: ${loaded.problems.join('; ')}`);
  return loaded.ruleset;
}
