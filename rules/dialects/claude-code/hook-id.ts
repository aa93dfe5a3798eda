import { shortHash } from '#contract/hash.js';
import { stableId } from '../stable-id.js';
import { hookText } from './hook-field.js';

/**
 * The id that a second delivery of the same hook would have too, or nothing when the hook names nothing lasting.
 *
 * A tool call has an id of its own. A task or a subagent has one as well, but it may complete or stop more than once: what
 * tells those apart is the prompt they belong to and the texts, numbers and flags of the hook, so these go into the id. Only
 * a hook that is the same in all of them is taken for the same one.
 */
export function hookId(event: string, hook: Record<string, unknown>): string | undefined {
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
