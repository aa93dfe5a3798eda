import { randomUUID } from 'node:crypto';
import { formatProblem } from '../../../contract/problem.js';
import type { Environment } from '../../../contract/settings.js';
import { mapClaudeCode } from '../../../rules/dialects/claude-code/map.js';
import type { Mapped } from '../../../rules/dialects/mapped.js';
import type { Redactor } from '../../../rules/redact.js';
import type { EventInput } from '../../event-input.js';
import { lineageDefaults } from '../lineage-defaults.js';
import { fitPayload } from './fit-payload.js';
import { messageOf } from '../../../contract/message-of.js';

/** What each runtime pipes in, by the name its hooks give. */
const DIALECTS: Record<string, (raw: unknown) => Mapped> = { 'claude-code': mapClaudeCode };

export interface HookInput {
  dialect: string | undefined;
  text: string;
  env: Environment;
  tenant: string | undefined;
  nowMs: number;
  redactor: Redactor;
  /** For an event whose hook names nothing lasting. */
  id?: string;
}

/** The event that a hook tells of, ready to be posted or kept. Throws with one line for people when there is none. */
export function hookEvent(input: HookInput, log: (line: string) => void): EventInput {
  const { dialect, env, tenant, nowMs, redactor } = input;
  const map = dialect !== undefined && Object.hasOwn(DIALECTS, dialect) ? DIALECTS[dialect] : undefined;
  if (map === undefined) {
    const known = Object.keys(DIALECTS).join(', ');
    throw new Error(
      dialect === undefined ? `which runtime? Known: ${known}` : `unknown runtime ${dialect}: known are ${known}`,
    );
  }
  const mapped = map(parseJson(input.text));
  if (!mapped.ok) throw new Error(mapped.problems.map(formatProblem).join('; '));

  const { depth, ...place } = lineageDefaults(env);
  const isDepth = depth === undefined || Number.isInteger(depth);
  if (!isDepth) log(`MESH_DEPTH is no whole number and is not used: ${env['MESH_DEPTH']}`);
  const { payload, ...event } = mapped.event;
  return {
    ...(isDepth && depth !== undefined && { depth }),
    ...place,
    ...(tenant !== undefined && { tenant }),
    occurredAt: Math.floor(nowMs),
    id: input.id ?? randomUUID(),
    ...withoutSecrets(event, redactor),
    ...fitPayload(payload, redactor, log),
  };
}

function parseJson(text: string): unknown {
  if (text.trim() === '') throw new Error('nothing came on standard input: a runtime pipes the JSON of its hook in');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`standard input is not JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function withoutSecrets<T extends { session?: string; agent?: string }>(event: T, redactor: Redactor): T {
  const { session, agent } = event;
  return {
    ...event,
    ...(session !== undefined && { session: redactor.text(session) }),
    ...(agent !== undefined && { agent: redactor.text(agent) }),
  };
}
