import type { MeshEvent } from '#contract/event.js';
import type { AgentEnd } from '#contract/matched.js';
import { plainName } from './plain-name.js';

/** Events by which runtimes tell that an agent has ended. Their names are compared without regard to case and `. _ : -`. */
export const AGENT_END_EVENTS = [
  'TaskCompleted',
  'SubagentStop',
  'SessionEnd',
  'StopFailure',
  'RunFinished',
  'RunCompleted',
  'RunFailed',
] as const;

/** These say by their name that it ended badly. */
const FAILURES = ['StopFailure', 'RunFailed'] as const;

/** Where runtimes put what an agent said last. */
const OUTPUT_KEYS = ['last_assistant_message', 'output', 'result', 'summary'] as const;

const TAIL_CHARS = 2_000;

/** How the agent ended that an event came from; nothing when the event tells of no end. */
export function agentEndOf(
  event: Pick<MeshEvent, 'event' | 'outcome' | 'payload'>,
  redact: (text: string) => string,
): AgentEnd | undefined {
  if (!isAgentEnd(event)) return undefined;
  const output = outputIn(event.payload);
  return { outcome: outcomeOf(event), ...(output !== undefined && { outputTail: tailOf(redact(output)) }) };
}

export function isAgentEnd({ event }: Pick<MeshEvent, 'event'>): boolean {
  return ENDS.has(plainName(event));
}

export function outcomeOf({ event, outcome }: Pick<MeshEvent, 'event' | 'outcome'>): AgentEnd['outcome'] {
  if (outcome === 'failed' || outcome === 'timeout') return outcome;
  return BAD_ENDS.has(plainName(event)) ? 'failed' : 'success';
}

const ENDS = new Set(AGENT_END_EVENTS.map(plainName));
const BAD_ENDS = new Set(FAILURES.map(plainName));

function outputIn(payload: MeshEvent['payload']): string | undefined {
  for (const key of OUTPUT_KEYS) {
    const value = Object.hasOwn(payload, key) ? payload[key] : undefined;
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return undefined;
}

/** Cut after secrets were taken out: of half a one nobody could tell what it is. */
function tailOf(text: string): string {
  return text.slice(-TAIL_CHARS).toWellFormed();
}
