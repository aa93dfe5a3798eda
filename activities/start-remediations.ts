import { Context } from '@temporalio/activity';
import type { Fire, StartAnswer, StartRequest, WatchActivities } from '#contract/activities.js';
import type { MeshEvent } from '#contract/event.js';
import { remediationId } from '#contract/ids.js';
import type { Ruleset } from '#contract/ruleset.js';
import { makePlan } from '#rules/make-plan.js';
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
      const rules = await rulesFor(world.rulesets, request);
      const fires = request.fires.map(({ eventIndex, ...fire }) => ({
        ...fire,
        event: request.events[eventIndex] as MeshEvent,
      }));
      const answers: StartAnswer[] = [];
      for (let from = 0; from < fires.length; from += AT_ONCE) {
        Context.current().cancellationSignal.throwIfAborted();
        const chunk = fires.slice(from, from + AT_ONCE);
        answers.push(...(await Promise.all(chunk.map((fire) => startOne(world.workflows, request, rules, fire)))));
      }
      return answers;
    });
}

type Rules = { available: true; ruleset: Ruleset; hash: string } | { available: false; problems: string[] };

/**
 * The version that judged. A worker that never loaded it is asked when the one that judged has died, or was busy: if the file was
 * edited in that moment, the rules as they are now are the best there is.
 */
async function rulesFor(rulesets: World['rulesets'], { tenant, rulesetHash }: StartRequest): Promise<Rules> {
  const judgedBy = rulesets.version(rulesetHash);
  return judgedBy ? { available: true, ruleset: judgedBy, hash: rulesetHash } : rulesets.get(tenant);
}

async function startOne(
  workflows: World['workflows'],
  { tenant, rulesetHash, firedAt }: StartRequest,
  rules: Rules,
  fire: Fire,
): Promise<StartAnswer> {
  const { rule, actions, event } = fire;
  if (!rules.available || rules.hash !== rulesetHash) {
    // An attempt before this one may have been with a worker that knew that version.
    const remediation = remediationId(tenant, rule, event.id);
    if (await workflows.isStarted(remediation)) return { remediation };
  }
  if (!rules.available) return { unavailable: rules.problems };
  const plan = makePlan(rules.ruleset, { ...fire, tenant, firedAt, rulesetHash: rules.hash });
  if (!plan) return { error: `rule ${rule} is no longer in the ruleset` };
  const planned = plan.actions.filter(({ refused }) => refused === undefined);
  if (planned.length < actions.length) return { error: `rule ${rule} no longer has all the actions that fired` };
  return workflows.startRemediation(plan);
}

/** Starts a workflow per message. The ids decide: one that was started before is left as it is. */
export function makeStartNotices({ workflows }: Pick<World, 'workflows'>): WatchActivities['startNotices'] {
  return (notices) =>
    withHeartbeat(async () => {
      await Promise.all(notices.map((notice) => workflows.startNotice(notice)));
    });
}
