// How rules look into an event. The key lists and their order are the rule format's.

export const FIELD_KEYS = {
  tool: ['tool_name', 'toolName'],
  status: ['task_status', 'taskStatus', 'status'],
  error: ['error', 'reason', 'message'],
  taskSubject: ['task_subject', 'taskSubject'],
  taskDescription: ['task_description', 'taskDescription'],
  taskId: ['task_id', 'taskId'],
  team: ['team_name', 'teamName'],
} as const;

/** The first of the field's keys, on the top level of the payload, that holds a non-empty string. */
export function readField(payload: Record<string, unknown>, field: keyof typeof FIELD_KEYS): string | undefined {
  for (const key of FIELD_KEYS[field]) {
    const value = Object.hasOwn(payload, key) ? payload[key] : undefined;
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
