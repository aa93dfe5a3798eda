import { randomBytes } from 'node:crypto';
import type { MeshEvent } from '#contract/event.js';
import type { RemediationInput } from '#contract/remediation.js';
import { makePlan } from '#rules/make-plan.js';
import { anEvent, aRule, aRuleset, type WrittenAction } from './builders.js';

/** What a rule with these actions makes of an event that nobody has reported before. */
export function aRemediation(actions: WrittenAction[], overrides: Partial<MeshEvent> = {}): RemediationInput {
  const ruleset = aRuleset([aRule({ actions })]);
  const rule = ruleset.rules[0];
  const event = anEvent({ id: `e-${randomBytes(6).toString('hex')}`, ...overrides });
  const names = ruleset.rules.flatMap((one) =>
    one.actions.map((action, index) => action.id ?? `${action.type}:${index}`),
  );
  const plan = makePlan(ruleset, {
    tenant: event.tenant,
    rule: rule?.id ?? '',
    actions: names,
    event,
    firedAt: Date.now(),
    rulesetHash: 'abc',
  });
  if (!plan) throw new Error('the rule of this test is not in its ruleset');
  return plan;
}
