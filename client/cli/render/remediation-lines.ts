import { keptUntil } from '#contract/kept-until.js';
import { runsOnlyIf } from '#contract/runs-only-if.js';
import { wordsOfDoing } from '#contract/story-words.js';
import type { ActionState, RemediationDetail, RemediationSummary, RetriedActivity } from '../../remediation-views.js';
import { tenantOptions } from '../tenant-option.js';
import { cutFor } from '../terminal/cut-for.js';
import type { Paint, Screen } from '../terminal/screen.js';
import { meshCommand } from '../terminal/shell-word.js';
import { duration } from '../terminal/times.js';
import { attemptsSoFar } from './retried-lines.js';

type Outcome = RemediationSummary['outcome'];

/** An outcome in the colour that says whether somebody must look. */
export function paintOutcome(outcome: Outcome | ActionState['status'], paint: Paint): (text: string) => string {
  switch (outcome) {
    case 'executed':
      return paint.green;
    case 'failed':
    case 'terminated':
    case 'timed-out':
      return paint.red;
    case 'running':
    case 'aborted':
      return paint.yellow;
    case 'skipped':
    case 'waiting':
      return paint.dim;
  }
}

/** How long it took, or has taken so far. */
export function tookOf({ startedAt, closedAt, outcome }: RemediationSummary, now: number): string {
  if (outcome === 'running') return duration(now - startedAt);
  return closedAt === undefined ? '-' : duration(closedAt - startedAt);
}

export interface ActionLine {
  action: string;
  status: ActionState['status'] | 'unknown';
  /** Nothing where that is not known, or where an abort came before the first. */
  attempts: number | undefined;
  /** What of it has failed and is tried again, as long as it is not done. */
  retried: RetriedActivity[];
  /** Why it ended so, or what it waits for. */
  reason?: string;
  /** What it did. */
  detail?: string;
}

/** What each action has come to, as far as it is known. */
export function actionLines({ progress, actions, outcome, retrying = [] }: RemediationDetail): ActionLine[] {
  const retriedOf = (name: string) => retrying.filter(({ action }) => action === name);
  if (!progress) {
    return actions.map(({ name }) => openLine(name, 'unknown', retriedOf(name)));
  }
  return progress.actions.map((state) => {
    if (!('attempts' in state)) {
      const { action, status } = state;
      if (isCutOff(outcome)) return cutOffLine(action, status, outcome);
      const note = state.doing
        ? wordsOfDoing(state.doing)
        : status === 'waiting'
          ? conditionOf(action, actions)
          : undefined;
      return { ...openLine(action, status, retriedOf(action)), ...(note && { reason: note }) };
    }
    const { action, status, reason, detail } = state;
    return {
      action,
      status,
      attempts: status === 'aborted' && state.attempts === 0 ? undefined : state.attempts,
      retried: [],
      ...(reason && { reason }),
      ...(detail && { detail: detail + keptUntil(state) }),
    };
  });
}

/** Closed by somebody who asked none of its actions: they stand as they did then. */
function isCutOff(outcome: Outcome): outcome is 'terminated' | 'timed-out' {
  return outcome === 'terminated' || outcome === 'timed-out';
}

function cutOffLine(action: string, was: 'running' | 'waiting', outcome: 'terminated' | 'timed-out'): ActionLine {
  const end = outcome === 'terminated' ? 'was terminated' : 'ran out of time';
  const reason =
    was === 'waiting'
      ? `not started: the remediation ${end} before`
      : `it ran when the remediation ${end}; what became of it is not known`;
  return { ...openLine(action, was === 'waiting' ? 'skipped' : 'unknown', []), reason };
}

/** The workflow says it itself, but only once it is the turn of the action to wait. */
function conditionOf(action: string, actions: RemediationDetail['actions']): string | undefined {
  const plan = actions.find(({ name }) => name === action);
  const condition = plan && runsOnlyIf(plan, actions);
  return condition === undefined ? undefined : `runs ${condition}`;
}

function openLine(action: string, status: ActionLine['status'], retried: RetriedActivity[]): ActionLine {
  return { action, status, attempts: attemptsSoFar(retried), retried };
}

/** Why it ended so, and what it did, in one line; whole where nobody looks at a terminal. */
export function saidBy({ reason, detail }: ActionLine, screen: Screen): string {
  const parts = [
    reason === undefined ? '' : cutFor(screen, reason, REASON_CHARS),
    detail === undefined ? '' : cutFor(screen, detail, DETAIL_CHARS),
  ];
  return parts.filter((part) => part !== '').join('; ');
}

const REASON_CHARS = 300;
const DETAIL_CHARS = 160;

export function triesOf(attempts: number | undefined): string {
  return attempts === undefined || attempts < 2 ? '' : ` after ${attempts} attempts`;
}

export const ABORT_WAITS = 'Its abort waits for a worker: what runs is ended then, and nothing more is started.';

/** What can be done about a remediation, as commands to copy. */
export function nextSteps({
  id,
  outcome,
  isAborting,
}: RemediationSummary & Pick<RemediationDetail, 'isAborting'>): { command: string; effect: string }[] {
  switch (outcome) {
    case 'running':
      if (isAborting) return [];
      return [{ command: meshCommand('abort', [id]), effect: 'ends what runs, and starts nothing more' }];
    case 'failed':
    case 'aborted':
    case 'terminated':
    case 'timed-out':
      return [
        { command: meshCommand('retry', [id]), effect: 'runs again what was not done, with the same effect keys' },
      ];
    case 'executed':
    case 'skipped':
      return [];
  }
}

export function whyCommand({ eventId, tenant }: Pick<RemediationSummary, 'eventId' | 'tenant'>): string {
  return meshCommand('why', [eventId], tenantOptions(tenant));
}
