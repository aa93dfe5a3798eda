import type { RemediationDetail, RemediationSummary } from '../../remediation-views.js';
import { tenantOptions } from '../tenant-option.js';
import { cutFor } from '../terminal/cut-for.js';
import type { Paint, Screen } from '../terminal/screen.js';
import { meshCommand } from '../terminal/shell-word.js';
import { duration } from '../terminal/times.js';

type Outcome = RemediationSummary['outcome'];
type ActionState = NonNullable<RemediationDetail['progress']>['actions'][number];

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
  attempts: number | undefined;
  /** Why it ended so, or what it waits for. */
  reason?: string;
  /** What it did. */
  detail?: string;
}

/** What each action has come to, as far as it is known. */
export function actionLines({ progress, actions }: RemediationDetail): ActionLine[] {
  if (!progress) {
    return actions.map(({ name }) => ({ action: name, status: 'unknown', attempts: undefined }));
  }
  return progress.actions.map((state) => {
    if (!('attempts' in state)) {
      const { action, status, note } = state;
      return { action, status, attempts: undefined, ...(note && { reason: note }) };
    }
    const { action, status, attempts, reason, detail } = state;
    return { action, status, attempts, ...(reason && { reason }), ...(detail && { detail }) };
  });
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

/** What can be done about a remediation, as commands to copy. */
export function nextSteps({ id, outcome }: RemediationSummary): { command: string; effect: string }[] {
  switch (outcome) {
    case 'running':
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
