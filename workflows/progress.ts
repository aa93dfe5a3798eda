import {
  type ActionResult,
  isDone,
  type PendingAction,
  type RemediationInput,
  type RemediationProgress,
  type RemediationResult,
} from '#contract/remediation.js';
import { outcomeOf } from '#contract/story.js';

/** How far an action that runs has come. */
export type RunningNews = Partial<Pick<PendingAction, 'doing' | 'launches' | 'agent' | 'deliveries'>>;

export type ActionState =
  | { state: 'waiting' }
  | ({ state: 'running'; sinceAt: number } & RunningNews)
  | { state: 'done'; result: ActionResult };

/** What each action of a remediation has come to. */
export interface Progress {
  start(action: string): void;
  /** Adds to what is shown of one that runs. */
  show(action: string, news: RunningNews): void;
  finish(result: ActionResult): void;
  of(action: string): ActionState;
  /** The results there are, in the order of the rule. */
  soFar(): ActionResult[];
  /** The actions before this one: what is done, and what is not. */
  before(action: string): { soFar: ActionResult[]; pending: PendingAction[] };
  /** What the `progress` query answers: also the actions that run or wait. */
  now(): RemediationProgress;
  result(): RemediationResult;
}

export function createProgress(input: RemediationInput, onChange: (progress: Progress) => void): Progress {
  const states = new Map<string, ActionState>();
  // When an operator has it retried, what was done before stays done.
  for (const result of input.earlier ?? []) {
    if (isDone(result)) states.set(result.action, { state: 'done', result });
  }
  for (const { name: action, type, refused: reason } of input.actions) {
    if (reason === undefined) continue;
    states.set(action, { state: 'done', result: { action, type, status: 'skipped', reason, attempts: 0 } });
  }
  const set = (action: string, state: ActionState) => {
    states.set(action, state);
    onChange(progress);
  };
  const progress: Progress = {
    start: (action) => set(action, { state: 'running', sinceAt: Date.now() }),
    show(action, news) {
      const state = progress.of(action);
      // News may come late.
      if (state.state === 'running') set(action, { ...state, ...news });
    },
    finish: (result) => set(result.action, { state: 'done', result }),
    of: (action) => states.get(action) ?? { state: 'waiting' },
    soFar: () => input.actions.flatMap(({ name }) => doneIn(progress.of(name))),
    before(action) {
      const names = input.actions.map(({ name }) => name);
      const isBefore = (one: { action: string }) => names.indexOf(one.action) < names.indexOf(action);
      const pending = progress.now().actions.filter(isPending);
      return { soFar: progress.soFar().filter(isBefore), pending: pending.filter(isBefore) };
    },
    now: () => ({
      outcome: progress.soFar().length < input.actions.length ? 'running' : progress.result().outcome,
      actions: input.actions.map(({ name: action, type }) => {
        const state = progress.of(action);
        if (state.state === 'done') return state.result;
        if (state.state === 'waiting') return { action, type, status: state.state };
        const { state: status, ...news } = state;
        return { action, type, status, ...news };
      }),
    }),
    result() {
      const actions = progress.soFar();
      return { outcome: outcomeOf(actions), actions };
    },
  };
  return progress;
}

function isPending(one: ActionResult | PendingAction): one is PendingAction {
  return one.status === 'running' || one.status === 'waiting';
}

function doneIn(state: ActionState): ActionResult[] {
  return state.state === 'done' ? [state.result] : [];
}
