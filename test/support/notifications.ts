import { parseMeshConfig, type MeshConfig } from '#config/mesh-config.js';
import type { ActionRequest } from '#contract/activities.js';
import type { NotifyPlan } from '#contract/actions/notify-team/schema.js';
import type { DeliveryRequest, NotificationMessage } from '#contract/notification.js';
import type { ActionPlan } from '#contract/actions/index.js';
import type { RemediationInput } from '#contract/remediation.js';
import { makePlan } from '#rules/make-plan.js';
import { anEvent, aRuleset, type WrittenAction } from './builders.js';
import type { MeshEvent } from '#contract/event.js';

/** A team of two with a mail to each. */
export const TWO_WITH_MAIL = {
  members: [
    { name: 'ada', email: 'ada@example.com' },
    { name: 'bob', email: 'bob@example.com' },
  ],
};

/** A configuration as written, checked. */
export function aMeshConfig(written: Record<string, unknown> = {}): MeshConfig {
  const parsed = parseMeshConfig(JSON.stringify({ teams: { ops: TWO_WITH_MAIL }, ...written }), '/etc/mesh/mesh.yaml');
  if (!parsed.ok) throw new Error(`the configuration of this test is not valid: ${JSON.stringify(parsed.problems)}`);
  return parsed.value;
}

export interface Remediated {
  actions?: WrittenAction[];
  event?: Partial<MeshEvent>;
  rule?: string;
  firedAt?: number;
}

/** A remediation as its rule planned it. */
export function aRemediation({ actions, event, rule = 'a-rule', firedAt = 0 }: Remediated = {}): RemediationInput {
  const written = actions ?? [{ type: 'notify_team', id: 'tell' }];
  const ruleset = aRuleset([{ id: rule, trigger: { event: 'PostToolUseFailure' }, actions: written }]);
  const named = written.map((action, index) => action.id ?? `${action.type}:${index}`);
  const plan = makePlan(ruleset, {
    tenant: event?.tenant ?? 'default',
    rule,
    actions: named,
    event: anEvent(event),
    firedAt,
    rulesetHash: 'hash',
  });
  if (!plan) throw new Error('the rule of this test has no plan');
  return plan;
}

/** What the workflow asks of the activity that writes the message: for the action `tell`, unless another is named. */
export function aNotifyRequest(
  remediation: RemediationInput = aRemediation(),
  more: Partial<ActionRequest<ActionPlan>> = {},
  action = 'tell',
): ActionRequest<NotifyPlan> {
  const plan = remediation.actions.find(({ name }) => name === action);
  if (plan?.type !== 'notify_team') throw new Error(`no notify_team action ${action}`);
  return { remediation, soFar: [], pending: [], ...more, plan };
}

/** A message; a test names only what it is about. */
export function aMessage(more: Partial<NotificationMessage> = {}): NotificationMessage {
  return {
    kind: 'remediation',
    tenant: 'default',
    rule: 'a-rule',
    at: 0,
    writtenAt: more.at ?? 0,
    subject: 'Something broke',
    body: 'Look at it',
    facts: [],
    did: [],
    quiet: [],
    links: [],
    commands: [],
    ...more,
  };
}

/** A delivery by mail to ada; a test names only what it is about. */
export function aDelivery(more: Partial<DeliveryRequest> = {}): DeliveryRequest {
  return {
    delivery: 'email/ada',
    team: 'ops',
    channel: 'email',
    recipient: 'ada',
    effectKey: 'remediation/default/a-rule/event-1/tell/email%2Fada',
    threadKey: 'a-rule/s-1',
    message: aMessage(),
    timeoutMs: 5_000,
    ...more,
  };
}
