import type { HookFields } from '../dialect.js';

export const claudeCodeFields: HookFields = {
  name: 'hook_event_name',
  large: [
    ['tool_response', 'toolResponse'],
    ['tool_input', 'toolInput'],
  ],
  telling: [
    ...['session_id', 'transcript_path', 'cwd', 'permission_mode', 'prompt_id', 'effort', 'duration_ms'],
    ...['hook_event_name', 'tool_name', 'tool_use_id', 'error', 'is_interrupt'],
    ...['task_id', 'task_subject', 'task_description', 'teammate_name', 'team_name', 'agent_id', 'agent_type'],
  ],
};

/** A field of the hook's JSON, in the runtime's spelling (`tool_use_id`) or that of its relatives (`toolUseId`). */
export function hookField(hook: Record<string, unknown>, name: string): unknown {
  const camel = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return [name, camel].map((key) => (Object.hasOwn(hook, key) ? hook[key] : undefined)).find(isGiven);
}

/** The field as a text; a number counts as one, since some runtimes count where others name. */
export function hookText(hook: Record<string, unknown>, name: string): string | undefined {
  const value = hookField(hook, name);
  if (typeof value === 'string' && value !== '') return value;
  return typeof value === 'number' ? String(value) : undefined;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
