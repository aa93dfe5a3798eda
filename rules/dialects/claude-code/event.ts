import { shortHash } from '#contract/hash.js';
import { isObject, label, type Mapped, MAPPED_EVENT_NAME, refused, wrongValue } from '../mapped.js';
import { stableId } from '../stable-id.js';
import { hookField, hookText } from './fields.js';
import { outcomeOf } from './outcome.js';

/** The events that it is known to send. Other names are taken too, since runtimes grow. */
export const CLAUDE_CODE_EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Notification',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PermissionRequest',
  'PermissionDenied',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
] as const;

const HINT = 'send the JSON as the runtime gives it to its hooks';

/**
 * Reads the JSON that Claude Code and its relatives give to hooks. The payload of the event is that JSON, whole. Events of
 * other names are taken too, with an outcome that is unknown, since runtimes grow.
 */
export function claudeCodeEvent(raw: unknown): Mapped {
  if (!isObject(raw)) {
    return refused({ path: '', message: 'expected the JSON of a hook', expected: 'an object', hint: HINT });
  }
  const event = hookField(raw, 'hook_event_name');
  if (typeof event !== 'string' || !MAPPED_EVENT_NAME.test(event)) {
    return refused(wrongValue('hook_event_name', event, 'the name of a hook event, such as PostToolUseFailure', HINT));
  }
  const id = hookId(event, raw);
  const session = hookText(raw, 'session_id');
  const agent = agentOf(raw);
  return {
    ok: true,
    event: {
      event,
      outcome: outcomeOf(event, raw),
      ...(id !== undefined && { id }),
      ...(session !== undefined && { session: label(session) }),
      ...(agent !== undefined && { agent: label(agent) }),
      source: 'claude-code',
      payload: raw,
    },
  };
}

/** The payload is what the hook gave. */
export function inHook(path: string): string {
  return path.replace(/^payload\.?/, '');
}

/** The one agent, where it is named; else the teammate; else at least the kind of agent. None: the main one. */
function agentOf(hook: Record<string, unknown>): string | undefined {
  return hookText(hook, 'agent_id') ?? hookText(hook, 'teammate_name') ?? hookText(hook, 'agent_type');
}

/**
 * The id that a second delivery of the same hook would have too, or nothing when the hook names nothing lasting.
 *
 * A tool call has an id of its own. A task or a subagent has one as well, but it may complete or stop more than once: what
 * tells those apart is the prompt they belong to and the texts, numbers and flags of the hook, so these go into the id. Only
 * a hook that is the same in all of them is taken for the same one.
 */
function hookId(event: string, hook: Record<string, unknown>): string | undefined {
  const session = hookText(hook, 'session_id');
  if (session === undefined) return undefined;

  const call = hookText(hook, 'tool_use_id');
  if (call !== undefined) return stableId('cc', [session, event, call]);

  const subject = subjectOf(event, hook);
  if (subject === undefined) return undefined;
  return stableId('cc', [session, event, subject, shortHash(tellingParts(hook)).slice(0, 16)]);
}

function subjectOf(event: string, hook: Record<string, unknown>): string | undefined {
  const prompt = hookText(hook, 'prompt_id');
  switch (event) {
    case 'TaskCreated':
    case 'TaskCompleted':
      // Tasks are numbered 1, 2, … in a session: without the prompt, a task done again tomorrow would be taken for a copy.
      return prompt === undefined ? undefined : hookText(hook, 'task_id');
    case 'SubagentStart':
    case 'SubagentStop':
      return hookText(hook, 'agent_id');
    case 'StopFailure':
      return prompt;
    default:
      return undefined;
  }
}

function tellingParts(hook: Record<string, unknown>): string {
  const flat = Object.entries(hook).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return JSON.stringify(flat.sort(([a], [b]) => (a < b ? -1 : 1)));
}
