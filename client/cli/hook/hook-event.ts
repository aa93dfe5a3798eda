import { randomUUID } from 'node:crypto';
import { formatProblem } from '#contract/text/problem.js';
import type { Environment } from '#contract/settings.js';
import { HOOK_DIALECTS, type HookDialect } from '#rules/dialects/index.js';
import type { MappedEvent } from '#rules/dialects/mapped.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import type { EventInput } from '../../event-input.js';
import { lineageDefaults } from '../../lineage-defaults.js';
import { fitPayload } from './fit-payload.js';
import { pickFields } from './pick-fields.js';
import { messageOf } from '#contract/text/words.js';

export interface HookInput {
  dialect: string | undefined;
  text: string;
  env: Environment;
  tenant: string | undefined;
  nowMs: number;
  redactor: Redactor;
}

/** The event that a hook tells of, ready to be posted or kept. Throws with one line for people when there is none. */
export function hookEvent(input: HookInput, log: (line: string) => void): EventInput {
  const dialect = dialectOf(input);
  const mapped = dialect.event(parseJson(input.text));
  if (!mapped.ok) throw new Error(mapped.problems.map(formatProblem).join('; '));
  return completed(mapped.event, dialect, input, log);
}

/** The same of input that is broken or cut off: of the fields that can still be told, if those say which event it is. */
export function partialEvent(input: HookInput, log: (line: string) => void): EventInput | undefined {
  const dialect = HOOK_DIALECTS.get(input.dialect ?? '');
  const mapped = dialect?.event(pickFields(input.text));
  if (!dialect || !mapped?.ok) return undefined;
  const { payload, ...event } = completed(mapped.event, dialect, input, log);
  return { ...event, payload: { ...payload, mesh_note: PARTIAL_MARK }, truncated: true };
}

const PARTIAL_MARK = '[the mesh could not read all that the hook was given]';

function dialectOf({ dialect }: HookInput): HookDialect {
  const found = HOOK_DIALECTS.get(dialect ?? '');
  if (found !== undefined) return found;
  const known = [...HOOK_DIALECTS.keys()].join(', ');
  throw new Error(
    dialect === undefined ? `which runtime? Known: ${known}` : `unknown runtime ${dialect}: known are ${known}`,
  );
}

function completed(
  mapped: MappedEvent,
  { fields }: HookDialect,
  input: HookInput,
  log: (line: string) => void,
): EventInput {
  const { env, tenant, nowMs, redactor } = input;
  const { depth, ...place } = lineageDefaults(env);
  const isDepth = depth === undefined || Number.isInteger(depth);
  if (!isDepth) log(`MESH_DEPTH is no whole number and is not used: ${env['MESH_DEPTH']}`);
  const { payload, ...event } = mapped;
  return {
    ...(isDepth && depth !== undefined && { depth }),
    ...place,
    ...(tenant !== undefined && { tenant }),
    occurredAt: Math.floor(nowMs),
    id: randomUUID(),
    ...withoutSecrets(event, redactor),
    ...(input.dialect !== undefined && { dialect: input.dialect }),
    ...fitPayload(payload, fields, redactor, log),
  };
}

function parseJson(text: string): unknown {
  if (text.trim() === '') throw new Error('nothing came on standard input: a runtime pipes the JSON of its hook in');
  try {
    return JSON.parse(text);
  } catch (error) {
    // Without the piece of it that the message quotes: half a secret is not known for one.
    const why = messageOf(error).replace(/, (\.\.\.)?".*"(\.\.\.)? is not valid JSON$/s, '');
    throw new Error(`standard input is not JSON: ${why}`, { cause: error });
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
