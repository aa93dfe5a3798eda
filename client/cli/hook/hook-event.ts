import { randomUUID } from 'node:crypto';
import { formatProblem } from '#contract/text/problem.js';
import type { Environment } from '#contract/settings.js';
import { HOOK_DIALECTS, type HookDialect } from '#rules/dialects/index.js';
import type { MappedEvent } from '#rules/dialects/mapped.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import type { EventInput } from '../../event-input.js';
import { lineageDefaults } from '../../lineage-defaults.js';
import { messageOf } from '#contract/text/words.js';
import type { HookFields } from '#rules/dialects/dialect.js';
import { preparePayload } from '../../prepare-payload.js';

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

type Payload = Record<string, unknown>;

/** The payload as the mesh takes it, without secrets. Rather an event without its largest parts than no event. */
function fitPayload(
  payload: Payload,
  fields: HookFields,
  redactor: Redactor,
  log: (line: string) => void,
): { payload: Payload; truncated?: true } {
  let why: string | undefined;
  for (const attempt of attemptsFor(fields)) {
    const prepared = preparePayload(attempt(payload), redactor);
    if (prepared.ok) {
      if (why !== undefined) log(`parts of the payload were left out: ${why}`);
      return { payload: prepared.payload, ...((prepared.truncated || why !== undefined) && { truncated: true }) };
    }
    why ??= prepared.problems.map(formatProblem).join('; ');
  }
  return { payload: {}, truncated: true };
}

/** What is tried in turn: first the payload as it is, then without the parts that can be of any size and shape. */
function attemptsFor({ large, telling }: HookFields): ((payload: Payload) => Payload)[] {
  return [
    (payload) => payload,
    ...large.map((_, last) => (payload: Payload) => without(payload, large.slice(0, last + 1).flat())),
    (payload) =>
      Object.fromEntries(
        Object.entries(payload).filter(([key, value]) => typeof value !== 'object' && telling.includes(key)),
      ),
    () => ({}),
  ];
}

function without(payload: Payload, keys: string[]): Payload {
  return Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [key, keys.includes(key) ? '[left out: too large]' : value]),
  );
}

/** Most input is cut off in the middle of something large; what tells the event is before it. */
const LOOKED_AT_CHARS = 256 * 1024;
const MAX_VALUE_CHARS = 2_000;
/** A text that is cut off goes to the very end: tried again at each of its quotes, it would take minutes. */
const TOKEN = /"[^"\\]*(?:\\(?:[^]|$)[^"\\]*)*(?:"|$)|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * The short fields of a JSON object that is broken or cut off, as far as they are whole. Only those of the object itself: an
 * input of a tool may have fields of the same names.
 */
function pickFields(text: string): Record<string, unknown> {
  const looked = text.slice(0, LOOKED_AT_CHARS);
  const picked: Record<string, unknown> = {};
  let depth = 0;
  let before: string[] = [];
  for (const { 0: token, index } of looked.matchAll(TOKEN)) {
    const [opening, name, colon] = before;
    // A text ends with its quote; of a number at the very end there may be more.
    const isWhole = token.startsWith('"') || index + token.length < looked.length;
    if (depth === 1 && isWhole && (opening === '{' || opening === ',') && name !== undefined && colon === ':') {
      const key = parsed(name);
      const value = parsed(token);
      if (typeof key === 'string' && isShort(value)) picked[key] = value;
    }
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    before = [...before.slice(-2), token];
  }
  return picked;
}

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_VALUE_CHARS;
  return typeof value === 'number' || typeof value === 'boolean';
}

function parsed(token: string): unknown {
  try {
    return JSON.parse(token);
  } catch {
    return undefined;
  }
}
