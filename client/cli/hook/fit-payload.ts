import { formatProblem } from '#contract/text/problem.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import { preparePayload } from '../../prepare-payload.js';

type Payload = Record<string, unknown>;

/** Short and telling: these stay when everything else has to go. */
const KEPT_FIELDS = [
  ...['session_id', 'transcript_path', 'cwd', 'permission_mode', 'prompt_id', 'effort', 'duration_ms'],
  ...['hook_event_name', 'tool_name', 'tool_use_id', 'error', 'is_interrupt'],
  ...['task_id', 'task_subject', 'task_description', 'teammate_name', 'team_name', 'agent_id', 'agent_type'],
];

/** What is tried in turn: first the payload as it is, then without the parts that can be of any size and shape. */
const ATTEMPTS: ((payload: Payload) => Payload)[] = [
  (payload) => payload,
  (payload) => without(payload, ['tool_response', 'toolResponse']),
  (payload) => without(payload, ['tool_response', 'toolResponse', 'tool_input', 'toolInput']),
  (payload) => Object.fromEntries(Object.entries(payload).filter(([key, value]) => isKept(key, value))),
  () => ({}),
];

/** The payload as the mesh takes it, without secrets. Rather an event without its largest parts than no event. */
export function fitPayload(
  payload: Payload,
  redactor: Redactor,
  log: (line: string) => void,
): { payload: Payload; truncated?: true } {
  let why: string | undefined;
  for (const attempt of ATTEMPTS) {
    const prepared = preparePayload(attempt(payload), redactor);
    if (prepared.ok) {
      if (why !== undefined) log(`parts of the payload were left out: ${why}`);
      return { payload: prepared.payload, ...((prepared.truncated || why !== undefined) && { truncated: true }) };
    }
    why ??= prepared.problems.map(formatProblem).join('; ');
  }
  return { payload: {}, truncated: true };
}

function without(payload: Payload, keys: string[]): Payload {
  return Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [key, keys.includes(key) ? '[left out: too large]' : value]),
  );
}

function isKept(key: string, value: unknown): boolean {
  return KEPT_FIELDS.includes(key) && (typeof value !== 'object' || key === 'effort');
}
