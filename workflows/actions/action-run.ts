import type { ActionRequest } from '#contract/activities.js';
import type { ActionPlan } from '#contract/actions/index.js';
import type { ActionResult, RemediationInput, StartedAgent } from '#contract/remediation.js';
import type { AgentEnds } from '../agent-news.js';
import type { RunningNews } from '../progress.js';
import type { SlotGrants } from '../slot-grants.js';

/** What an action has to work with while it runs. */
export interface ActionRun<Plan extends ActionPlan> {
  plan: Plan;
  remediation: RemediationInput;
  /** What the run before this one came to, when an operator has it retried. */
  earlier: ActionResult | undefined;
  /** When it began, with all its attempts. */
  startedAt: number;
  /** For its activities: as things stand at this moment. */
  request(): ActionRequest<Plan>;
  /** Shows how far it is, to the progress query and in the current details. */
  show(news: RunningNews): void;
  /** The agent that is shown now. */
  shownAgent(): StartedAgent | undefined;
  agentEnds: AgentEnds;
  slotGrants: SlotGrants;
}

/** How an action is run. It may throw: a failure is a result. */
export type Runner<Plan extends ActionPlan> = (run: ActionRun<Plan>) => Promise<Outcome>;

export type Outcome = Omit<ActionResult, 'action' | 'type'>;
