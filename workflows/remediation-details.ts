import type { ActionPlan, ActionStatus, RemediationInput } from '../contract/remediation.js';
import { code, utc } from '../contract/markdown.js';
import { PATIENCE_MS } from './limits.js';
import type { ActionState, Progress } from './progress.js';

/** What an operator sees beside a remediation in the Temporal UI, in a narrow column: each action, and what happens next. */
export function renderRemediationDetails(input: RemediationInput, progress: Progress): string {
  const actions = input.actions.map((plan) => `- ${describeAction(plan, progress.of(plan.name))}`);
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
  if (state.state === 'waiting') return `${who}: waiting`;
  if (state.state === 'running')
    return `${who}: **running** since ${utc(state.sinceAt)}; retries show under Pending Activities`;
  const { status, attempts, reason, detail } = state.result;
  const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
  const what = [reason, detail].flatMap((part) => (part === undefined ? [] : [code(oneLine(part))]));
  return [`${who}: **${status}**${tries}`, ...what].join(' ');
}

function next(input: RemediationInput, progress: Progress): string {
  const running = input.actions.filter(({ name }) => progress.of(name).state === 'running');
  const waiting = input.actions.find(({ name }) => progress.of(name).state === 'waiting');
  if (running.length === 0) return 'Nothing more happens here. When the rule may fire again is shown in its watch.';
  const tries = running.map(
    (plan) =>
      `${code(plan.name)} is tried up to ${plan.retry.maxAttempts} times, each at most ${plan.timeoutMs / 1000} s`,
  );
  const followed = waiting ? ` ${code(waiting.name)} starts when it is done, or after ${PATIENCE_MS / 1000} s.` : '';
  return `Next: ${tries.join('; ')}.${followed} To abort, cancel this workflow.`;
}

function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ⏎ ').slice(0, 300);
}
