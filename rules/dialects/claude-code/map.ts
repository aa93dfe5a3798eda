import { isObject, label, type Mapped, MAPPED_EVENT_NAME, refused, wrongValue } from '../mapped.js';
import { hookField, hookText } from './hook-field.js';
import { hookId } from './hook-id.js';
import { outcomeOf } from './outcome.js';

const HINT = 'send the JSON as the runtime gives it to its hooks';

/**
 * Reads the JSON that Claude Code and its relatives give to hooks. The payload of the event is that JSON, whole. Events of
 * other names are taken too, with an outcome that is unknown, since runtimes grow.
 */
export function mapClaudeCode(raw: unknown): Mapped {
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

/** The one agent, where it is named; else the teammate; else at least the kind of agent. None: the main one. */
function agentOf(hook: Record<string, unknown>): string | undefined {
  return hookText(hook, 'agent_id') ?? hookText(hook, 'teammate_name') ?? hookText(hook, 'agent_type');
}
