import { CancellationScope } from '@temporalio/workflow';
import type { ActionPlan } from '#contract/actions/index.js';
import type { ActionResult, ActionStatus, RemediationInput } from '#contract/remediation.js';
import type { AgentEnds } from '../agent-news.js';
import type { Progress } from '../progress.js';
import type { SlotGrants } from '../slot-grants.js';
import type { Outcome } from './action-run.js';
import { NEVER_STARTED, resultOfFailure } from './failure-result.js';
import { act } from './index.js';
import type { OnlyIf } from '#contract/actions/of-every-action.js';

export interface Surroundings {
  remediation: RemediationInput;
  progress: Progress;
  agentEnds: AgentEnds;
  slotGrants: SlotGrants;
  /** The end of another action that was started in this run. */
  endOf(action: string): Promise<void> | undefined;
  /** Why an action that a limit has refused would not have run, once that was asked; nothing: it would have. */
  refusals: Map<string, Promise<string | undefined>>;
}

/** Runs one action to its end and notes the result. Never throws: a failure is a result. */
export async function runAction(plan: ActionPlan, surroundings: Surroundings): Promise<void> {
  const { remediation, progress } = surroundings;
  const done = (outcome: Outcome) => progress.finish({ action: plan.name, type: plan.type, ...outcome });

  const refusal = plan.onlyIf && (await whyNotAfter(plan, surroundings));
  if (CancellationScope.current().consideredCancelled) return done(NEVER_STARTED);
  if (refusal !== undefined) return done({ status: 'skipped', reason: refusal, attempts: 0 });

  const earlier = remediation.earlier?.find(({ action }) => action === plan.name);
  progress.start(plan.name);
  try {
    done(
      await act({
        plan,
        remediation,
        earlier,
        startedAt: Date.now(),
        request: () => ({ plan, remediation, ...progress.before(plan.name) }),
        show: (news) => progress.show(plan.name, news),
        shownAgent() {
          const state = progress.of(plan.name);
          return state.state === 'running' ? state.agent : undefined;
        },
        agentEnds: surroundings.agentEnds,
        slotGrants: surroundings.slotGrants,
      }),
    );
  } catch (error) {
    done(resultOfFailure(error));
  }
}

/** Waits for the action before, however long that takes: only its end tells whether this one is to run. */
async function whyNotAfter(plan: ActionPlan, surroundings: Surroundings): Promise<string | undefined> {
  const { remediation, progress, endOf, refusals } = surroundings;
  // Each that was refused looks at all before it: unless it is asked once only, a dozen of them keep the worker busy for seconds.
  const whyNotOf = (refused: ActionPlan) => {
    const answer = refusals.get(refused.name) ?? whyNotAfter(refused, surroundings);
    refusals.set(refused.name, answer);
    return answer;
  };
  let name = plan.after;
  while (name !== undefined) {
    await endOf(name);
    const state = progress.of(name);
    const result = state.state === 'done' ? state.result : undefined;
    const before = remediation.actions.find((one) => one.name === name);
    const isRefused = before?.refused !== undefined;
    // A limit has refused it before anybody knew whether it would be needed.
    const isNeeded = !isRefused || before.onlyIf === undefined || !(await whyNotOf(before));
    if (isNeeded && !isPassedOver(before, result)) return whyNot(plan, { name, result, isRefused });
    name = before?.after;
  }
  return whyNot(plan, undefined);
}

/** The action that one with `onlyIf` looks at, and its result if it fired. */
interface Before {
  name: string;
  result: ActionResult | undefined;
  /** A limit of the chain kept it from firing. */
  isRefused?: boolean;
}

/** Why an action with `onlyIf` is not to run, given how the action before it ended; nothing when it is. */
export function whyNot({ onlyIf }: ActionPlan, before: Before | undefined): string | undefined {
  if (onlyIf === undefined || before?.result?.status === NEEDED[onlyIf]) return undefined;
  // Who is to be woken when no agent could help wants to hear of this one too.
  if (onlyIf === 'failed' && before?.isRefused) return undefined;
  const wanted = onlyIf === 'failed' ? 'fails' : 'succeeds';
  if (before === undefined) return `runs only if the action before it ${wanted}, and there is none`;
  const { name, result } = before;
  const found = result ? `${name} was ${result.status}` : `${name} did not fire`;
  return `runs only if ${name} ${wanted}, and ${result?.status === 'failed' ? `${name} failed` : found}`;
}

/**
 * Not needed, because of its own `onlyIf`: whoever comes after looks past it. So "an agent; if it succeeds, praise; if it fails,
 * wake someone" wakes someone.
 */
export function isPassedOver(plan: ActionPlan | undefined, result: ActionResult | undefined): boolean {
  return (
    plan?.onlyIf !== undefined && plan.refused === undefined && result?.status === 'skipped' && result.attempts === 0
  );
}

/** What was skipped or aborted is neither. */
const NEEDED: Record<OnlyIf, ActionStatus> = { failed: 'failed', success: 'executed' };
