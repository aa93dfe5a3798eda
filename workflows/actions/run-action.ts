import { CancellationScope } from '@temporalio/workflow';
import type { ActionPlan } from '../../contract/actions/index.js';
import type { RemediationInput } from '../../contract/remediation.js';
import type { AgentEnds } from '../agent-news.js';
import type { Progress } from '../progress.js';
import type { Outcome } from './action-run.js';
import { resultOfFailure } from './failure-result.js';
import { act } from './index.js';
import { whyNot } from './only-if.js';

export interface Surroundings {
  remediation: RemediationInput;
  progress: Progress;
  agentEnds: AgentEnds;
  /** The end of another action that was started in this run. */
  endOf(action: string): Promise<void> | undefined;
}

/** Runs one action to its end and notes the result. Never throws: a failure is a result. */
export async function runAction(plan: ActionPlan, surroundings: Surroundings): Promise<void> {
  const { remediation, progress } = surroundings;
  const done = (outcome: Outcome) => progress.finish({ action: plan.name, type: plan.type, ...outcome });

  const refusal = plan.onlyIf && (await refusalOf(plan, surroundings));
  if (CancellationScope.current().consideredCancelled) {
    return done({ status: 'aborted', reason: 'aborted before it started', attempts: 0 });
  }
  if (refusal !== undefined) return done({ status: 'skipped', reason: refusal, attempts: 0 });

  const earlier = remediation.earlier?.find(({ action }) => action === plan.name);
  progress.start(plan.name);
  try {
    done(
      await act({
        plan,
        remediation,
        earlier,
        request: () => ({ plan, remediation, ...progress.before(plan.name) }),
        show: (news) => progress.show(plan.name, news),
        agentEnds: surroundings.agentEnds,
      }),
    );
  } catch (error) {
    done(resultOfFailure(error));
  }
}

/** Waits for the action before, however long that takes: only its end tells whether this one is to run. */
async function refusalOf(plan: ActionPlan, { progress, endOf }: Surroundings): Promise<string | undefined> {
  if (plan.after !== undefined) {
    progress.wait(plan.name, `runs only if ${plan.after} ${plan.onlyIf === 'failed' ? 'fails' : 'succeeds'}`);
    await endOf(plan.after);
  }
  const before = plan.after === undefined ? undefined : progress.of(plan.after);
  return whyNot(plan, before?.state === 'done' ? before.result : undefined);
}
