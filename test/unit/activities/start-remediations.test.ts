import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { makeStartRemediations } from '#activities/start-remediations.js';
import type { World } from '#activities/world.js';
import type { StartAnswer, StartRequest } from '#contract/activities.js';
import type { RemediationInput } from '#contract/remediation.js';
import type { Ruleset } from '#contract/ruleset.js';
import { aLoadedRuleset, anEvent, aRule, aRuleset } from '../../support/builders.js';

const request: StartRequest = {
  tenant: 'default',
  rulesetHash: 'judged-by',
  firedAt: 1_000,
  events: [anEvent({ id: 'e-1' }), anEvent({ id: 'e-2' })],
  fires: [1, 0].map((eventIndex) => ({ eventIndex, rule: 'r', actions: ['tell'] })),
};

interface Known {
  /** What the worker judged by, if it is the one that did. */
  judgedBy?: Ruleset;
  now?: Ruleset;
  started?: string[];
}

async function start({ judgedBy, now, started = [] }: Known) {
  const plans: RemediationInput[] = [];
  const world = {
    rulesets: {
      version: () => judgedBy,
      get: async () => (now ? { available: true, ...aLoadedRuleset(now) } : { available: false, problems: ['broken'] }),
    },
    workflows: {
      startRemediation: async (plan: RemediationInput) => (plans.push(plan), { remediation: plan.id }),
      isStarted: async (id: string) => started.includes(id),
    },
  } as unknown as Pick<World, 'rulesets' | 'workflows'>;
  const answers = await new MockActivityEnvironment().run<
    [StartRequest],
    StartAnswer[],
    (asked: StartRequest) => Promise<StartAnswer[]>
  >(makeStartRemediations(world), request);
  return { answers, plans };
}

const ours = aRuleset([aRule({ id: 'r', actions: [{ type: 'notify_team', id: 'tell' }] })]);
const others = aRuleset([aRule({ id: 'another' })]);
const ids = ['remediation/default/r/e-2', 'remediation/default/r/e-1'];

test('each fire has its event, and the answers stand in the order of the fires', async () => {
  const { answers, plans } = await start({ judgedBy: ours });

  expect(answers).toEqual(ids.map((remediation) => ({ remediation })));
  expect(plans.map(({ event, firedAt }) => [event.id, firedAt])).toEqual([
    ['e-2', 1_000],
    ['e-1', 1_000],
  ]);
});

test.each([
  ['have lost the rule', others],
  ['cannot be read', undefined],
])('what an attempt before has started is found by a worker whose rules %s', async (_how, now) => {
  const { answers, plans } = await start({ ...(now && { now }), started: ids });

  expect(answers).toEqual(ids.map((remediation) => ({ remediation })));
  expect(plans).toEqual([]);
});

test('what nobody has started, and no worker knows the rule of, is an error', async () => {
  const { answers } = await start({ now: others, started: ids.slice(0, 1) });

  expect(answers).toEqual([{ remediation: ids[0] }, { error: 'rule r is no longer in the ruleset' }]);
});

test('while the rules cannot be read, what nobody has started is to be asked for again', async () => {
  const { answers } = await start({ started: ids.slice(1) });

  expect(answers).toEqual([{ unavailable: ['broken'] }, { remediation: ids[1] }]);
});

test('a plan says by which version it was made', async () => {
  const { plans } = await start({ now: ours });

  expect(plans.map(({ rulesetHash }) => rulesetHash)).toEqual([aLoadedRuleset(ours).hash, aLoadedRuleset(ours).hash]);
});
