import type { Outcome } from '#contract/event.js';
import { hookField, hookText } from './fields.js';

const OUTCOMES: Record<string, Outcome> = {
  PostToolUse: 'success',
  PostToolUseFailure: 'failed',
  StopFailure: 'failed',
  TaskCompleted: 'success',
};

/** What came of what the hook tells about. */
export function outcomeOf(event: string, hook: Record<string, unknown>): Outcome {
  // Someone pressed stop: that is no failure, and nothing should start because of it.
  if (isTrue(hookField(hook, 'is_interrupt'))) return 'unknown';
  if (event === 'TaskCompleted' && wasStopped(hook)) return 'failed';
  return Object.hasOwn(OUTCOMES, event) ? (OUTCOMES[event] ?? 'unknown') : 'unknown';
}

/**
 * A task is reported as completed before its hooks have their say, and one of them may refuse. Claude Code itself does not
 * tell; its relatives do, by a count and a flag, by the status of the task or in words.
 */
function wasStopped(hook: Record<string, unknown>): boolean {
  return (
    Number(hookText(hook, 'hook_blocking_error_count')) > 0 ||
    STOPPING_FLAGS.some((name) => isTrue(hookField(hook, name))) ||
    STATUS_FIELDS.some((name) => /^(blocked|prevented|failed|error)$/i.test(hookText(hook, name) ?? '')) ||
    hookField(hook, 'decision') === 'block' ||
    hookField(hook, 'continue') === false ||
    REASON_FIELDS.some((name) => saysStopped(hookText(hook, name) ?? ''))
  );
}

const STOPPING_FLAGS = ['hook_prevented_continuation', 'prevented_continuation', 'prevent_continuation', 'blocked'];
const STATUS_FIELDS = ['task_status', 'status'];
const REASON_FIELDS = ['error', 'reason', 'stop_reason', 'message'];
const READ_CHARS = 2_000;
/** `TaskCompleted hook feedback:` is how Claude Code words a refusal to the model. */
const HOOK_THEN_STOPPED = /\bhooks?\b.{0,80}?\b(blocked|blocking|prevented|feedback)\b/is;
const STOPPED_THEN_HOOK = /\b(blocked|prevented)\b.{0,80}?\bhooks?\b/is;

function saysStopped(text: string): boolean {
  const read = text.slice(0, READ_CHARS);
  return HOOK_THEN_STOPPED.test(read) || STOPPED_THEN_HOOK.test(read);
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}
