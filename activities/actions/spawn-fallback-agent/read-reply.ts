import { oneLine } from '#contract/text/plain-text.js';
import type { Redactor } from '#contract/text/redact/redact.js';

/** What a runtime says to a request for an agent, as far as it keeps to the contract. */
export interface LaunchReply {
  launched?: boolean;
  agentId?: string;
  reason?: string;
}

const MAX_REASON_CHARS = 300;
/** As long as an event's own name of its agent. */
const MAX_ID_CHARS = 200;

export function readReply(body: string, redactor: Redactor): LaunchReply {
  const fields = fieldsOf(body);
  const [launched, id, reason] = ['launched', 'agentId', 'reason'].map((name) => fields.get(name));
  const why = typeof reason === 'string' ? oneLine(redactor.text(reason), MAX_REASON_CHARS) : '';
  const isId = typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARS;
  return {
    ...(typeof launched === 'boolean' && { launched }),
    // As the events of that agent carry it, from which secrets are taken as well.
    ...(isId && { agentId: redactor.text(id) }),
    ...(why !== '' && { reason: why }),
  };
}

function fieldsOf(body: string): Map<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  } catch {
    return new Map();
  }
}
