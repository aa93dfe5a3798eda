import type { ActionPlan } from '../contract/actions/index.js';
import type { ActionStatus, RemediationInput } from '../contract/remediation.js';
import { code, utc } from '../contract/markdown.js';
import { describeParts } from './action-parts.js';
import { PATIENCE_MS } from './limits.js';
import type { ActionState, Progress } from './progress.js';
import { isAwaited } from './turns.js';

/** What an operator sees beside a remediation in the Temporal UI, in a narrow column: each action, and what happens next. */
export function renderRemediationDetails(input: RemediationInput, progress: Progress): string {
  const actions = input.actions.map((plan) => describeAction(plan, progress.of(plan.name)));
  return [`### ${headline(input, progress)}`, actions.join('\n'), next(input, progress)].join('\n\n');
}

const HEADLINES: Record<ActionStatus, string> = {
  executed: 'Done: every action that had something to do did it',
  skipped: 'Done: no action had anything to do',
  failed: 'Failed: at least one action gave up',
  aborted: 'Aborted by an operator',
};

function headline(input: RemediationInput, progress: Progress): string {
  const { outcome, actions } = progress.result();
  if (actions.length === input.actions.length) return HEADLINES[outcome];
  return `Running: ${actions.length} of ${input.actions.length} actions done`;
}

function describeAction({ name, type }: ActionPlan, state: ActionState): string {
  const who = name.startsWith(type) ? code(name) : `${code(name)} (${type})`;
  return [`- ${who}: ${describeState(state)}`, ...describeParts(state).map((part) => `  - ${part}`)].join('\n');
}

function describeState(state: ActionState): string {
  switch (state.state) {
    case 'waiting':
      return ['waiting', ...noted(state.note)].join(': ');
    case 'running': {
      const since = `**running** since ${utc(state.sinceAt)}`;
      return [since, ...noted(state.note), 'retries show under Pending Activities'].join('; ');
    }
    case 'done': {
      const { status, attempts, reason, detail } = state.result;
      const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
      return [`**${status}**${tries}`, ...noted(reason), ...noted(detail)].join(' ');
    }
  }
}

function noted(text: string | undefined): string[] {
  return text === undefined ? [] : [code(text.replace(/\s*[\r\n]+\s*/g, ' ⏎ ').slice(0, 300))];
}

function next(input: RemediationInput, progress: Progress): string {
  const running = input.actions.filter(({ name }) => progress.of(name).state === 'running');
  if (running.length === 0) return 'Nothing more happens here. When the rule may fire again is shown in its watch.';
  const waiting = input.actions.find(({ name }) => progress.of(name).state === 'waiting');
  const before = waiting && input.actions[input.actions.indexOf(waiting) - 1];
  const followed = before ? ` ${code(waiting.name)} ${startOf(waiting, before)}.` : '';
  return `Next: ${running.map(triesOf).join('; ')}.${followed} To abort, cancel this workflow.`;
}

function triesOf({ name, retry, timeoutMs }: ActionPlan): string {
  const times = retry.maxAttempts === undefined ? 'until its time is up' : `up to ${retry.maxAttempts} times`;
  return `${code(name)} is tried ${times}, each at most ${timeoutMs / 1000} s`;
}

/** When an action starts that waits, given the one before it. */
function startOf(waiting: ActionPlan, before: ActionPlan): string {
  if (waiting.onlyIf !== undefined) return `waits for the end of ${code(waiting.after ?? before.name)}`;
  if (isAwaited(before)) return `starts when ${code(before.name)} is done`;
  const ready = 'await' in before ? 'when its agent has started' : 'when it is done';
  return `starts ${ready}, or after ${PATIENCE_MS / 1000} s`;
}
