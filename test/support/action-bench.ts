import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { World } from '#activities/world.js';
import { parseMeshConfig } from '#config/mesh-config.js';
import type { ActionPlan, ActionType } from '#contract/actions/index.js';
import type { ActionRequest } from '#contract/activities.js';
import type { MeshEvent } from '#contract/event.js';
import { makePlan } from '#rules/make-plan.js';
import { anEvent, aRule, aRuleset, type WrittenAction } from './builders.js';

type PlanOf<Type extends ActionType> = Extract<ActionPlan, { type: Type }>;

/** What a remediation asks of the activity of an action, given the action as somebody writes it into a rule. */
export function actionRequest<Type extends ActionType>(
  action: Extract<WrittenAction, { type: Type }>,
  event: Partial<MeshEvent> = {},
): ActionRequest<PlanOf<Type>> {
  const name = action.id ?? `${action.type}:0`;
  const fired = { tenant: 'default', rule: 'r', actions: [name], event: anEvent(event), firedAt: 0, rulesetHash: 'h' };
  const remediation = makePlan(aRuleset([aRule({ id: 'r', actions: [action] })]), fired);
  const plan = remediation?.actions[0];
  if (!plan) throw new Error('the rule of this test has no plan');
  // What is undefined is gone, as on the way through Temporal.
  const request = { plan, remediation, soFar: [], pending: [] };
  return JSON.parse(JSON.stringify(request)) as ActionRequest<PlanOf<Type>>;
}

/** `mesh.yaml` as a worker holds it. */
export function configSource(written: unknown, folder = 'config'): World['config'] {
  const parsed = parseMeshConfig(JSON.stringify(written), join(folder, 'mesh.yaml'));
  if (!parsed.ok) throw new Error(`the configuration of this test is not valid: ${JSON.stringify(parsed.problems)}`);
  return { get: () => Promise.resolve({ available: true, value: parsed.value, hash: 'h', problems: [] }) };
}

/** The server, to an action that nobody has aborted. */
export const NOT_ABORTED = { isCancelRequested: () => Promise.resolve(false) } as Partial<
  World['workflows']
> as World['workflows'];

export interface ActivityRun<Answer> {
  answer: Promise<Answer>;
  heartbeats: unknown[];
  cancel(): void;
}

/** Runs an activity as a worker does. */
export function runActivity<Request, Answer>(
  activity: (request: Request) => Promise<Answer>,
  request: Request,
): ActivityRun<Answer> {
  // Each failure that a test is about would be logged as a warning.
  const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
  const heartbeats: unknown[] = [];
  environment.on('heartbeat', (details) => heartbeats.push(details));
  return { answer: environment.run(activity, request), heartbeats, cancel: () => environment.cancel() };
}

/** How it failed, as retry policies and people see it. */
export async function failureOf({ answer }: Pick<ActivityRun<unknown>, 'answer'>) {
  const error: unknown = await answer.then(
    (done) => Promise.reject(new Error(`it did not fail: ${JSON.stringify(done)}`)),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApplicationFailure)) throw error;
  const { type, message, nonRetryable, nextRetryDelay } = error;
  return { type, message, isFinal: nonRetryable === true, retryAfterMs: nextRetryDelay };
}
