import { factsOf, MAX_TAIL_CHARS, type Telling } from '#contract/facts.js';
import type { AgentEnd } from '#contract/matched.js';

/** How the agent ended that an event came from; nothing when the event tells of no end. */
export function agentEndOf(event: Telling, redact: (text: string) => string): AgentEnd | undefined {
  const { endsAgent } = factsOf(event, redact);
  if (!endsAgent) return undefined;
  const { outcome, outputTail } = endsAgent;
  return { outcome, ...(outputTail !== undefined && { outputTail: tailOf(redact(outputTail)) }) };
}

/** A mark may be longer than what it hides. */
function tailOf(text: string): string {
  return text.slice(-MAX_TAIL_CHARS).toWellFormed();
}
