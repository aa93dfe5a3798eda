import type {
  ActionResult,
  ActionStatus,
  RemediationInput,
  RemediationOutcome,
  RemediationProgress,
  RemediationResult,
} from '../contract/remediation.js';

export type ActionState =
  { state: 'waiting' } | { state: 'running'; sinceAt: number } | { state: 'done'; result: ActionResult };

/** What each action of a remediation has come to. */
export interface Progress {
  start(action: string): void;
  finish(result: ActionResult): void;
  of(action: string): ActionState;
  /** The results there are, in the order of the rule. */
  soFar(): ActionResult[];
  /** What the `progress` query answers: also the actions that run or wait. */
  now(): RemediationProgress;
  result(): RemediationResult;
}

export function createProgress(input: RemediationInput, onChange: (progress: Progress) => void): Progress {
  const states = new Map<string, ActionState>(
    input.earlier?.map((result) => [result.action, { state: 'done', result }]),
  );
  const progress: Progress = {
    start(action) {
      states.set(action, { state: 'running', sinceAt: Date.now() });
      onChange(progress);
    },
    finish(result) {
      states.set(result.action, { state: 'done', result });
      onChange(progress);
    },
    of: (action) => states.get(action) ?? { state: 'waiting' },
    soFar: () =>
      input.actions.flatMap(({ name }) => {
        const state = progress.of(name);
        return state.state === 'done' ? [state.result] : [];
      }),
    now: () => ({
      outcome: progress.soFar().length < input.actions.length ? 'running' : progress.result().outcome,
      actions: input.actions.map(({ name, type }) => {
        const state = progress.of(name);
        return state.state === 'done' ? state.result : { action: name, type, status: state.state };
      }),
    }),
    result() {
      const actions = progress.soFar();
      return { outcome: outcomeOf(actions), actions };
    },
  };
  return progress;
}

/** The worst wins; a remediation counts as skipped only when all of it was. */
const WORST_FIRST: ActionStatus[] = ['failed', 'aborted', 'executed', 'skipped'];

function outcomeOf(actions: ActionResult[]): RemediationOutcome {
  return WORST_FIRST.find((status) => actions.some((action) => action.status === status)) ?? 'skipped';
}
