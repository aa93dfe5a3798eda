import type { ActionPlan, ActionStatus, RemediationInput } from '../contract/remediation.js';
import { code, utc } from '../contract/markdown.js';
import { PATIENCE_MS } from './limits.js';
import type { ActionState, Progress } from './progress.js';

/** What an operator sees on top of a remediation: each action's state, and what happens next. */
export function renderRemediationDetails(input: RemediationInput, progress: Progress): string {
  const rows = input.actions.map((plan) => row(plan, progress.of(plan.name)));
  return [
    `### ${headline(input, progress)}`,
    ['| action | type | state | attempts | what happened |', '|---|---|---|---|---|', ...rows].join('\n'),
    next(input, progress),
  ].join('\n\n');
}

function headline(input: RemediationInput, progress: Progress): string {
  const { outcome, actions } = progress.result();
  if (actions.length < input.actions.length)
    return `Running: ${actions.length} of ${input.actions.length} actions done`;
  const words: Record<ActionStatus, string> = {
    executed: 'Done: every action that could run did',
    skipped: 'Done: nothing had to be run',
    failed: 'Failed: at least one action gave up',
    aborted: 'Aborted by an operator',
  };
  return words[outcome];
}

function row(plan: ActionPlan, state: ActionState): string {
  const cells = (status: string, attempts: string, what: string) =>
    `| ${code(plan.name)} | ${plan.type} | ${status} | ${attempts} | ${what} |`;
  if (state.state === 'waiting') return cells('waiting', '–', '–');
  if (state.state === 'running')
    return cells('running', '–', `since ${utc(state.sinceAt)}; retries show under Pending Activities`);
  const { status, attempts, reason, detail } = state.result;
  const what = [reason, detail].filter((part) => part !== undefined).map((part) => code(oneLine(part)));
  return cells(status === 'failed' ? '**failed**' : status, String(attempts), what.join(' ') || '–');
}

function next(input: RemediationInput, progress: Progress): string {
  const running = input.actions.filter(({ name }) => progress.of(name).state === 'running');
  const waiting = input.actions.find(({ name }) => progress.of(name).state === 'waiting');
  if (running.length === 0) return 'Nothing more happens here. The cooldown of the rule is shown in its watch.';
  const retries = running.map(
    (plan) =>
      `${code(plan.name)} is tried up to ${plan.retry.maxAttempts} times, each for at most ${plan.timeoutMs / 1000} s`,
  );
  const followed = waiting
    ? ` ${code(waiting.name)} starts when it is done, or after ${PATIENCE_MS / 1000} s at the latest.`
    : '';
  return `Next: ${retries.join('; ')}.${followed} Cancel this workflow to abort.`;
}

function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ⏎ ').slice(0, 300);
}
