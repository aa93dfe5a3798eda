import type { Problem } from '#contract/text/problem.js';
import { isObject, label, type Mapped, MAPPED_EVENT_NAME, refused, wrongValue } from '../mapped.js';
import { shortHash } from '#contract/hash.js';
import { stableId } from '../stable-id.js';

/** An RFC 3339 time, as CloudEvents wants it. */
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
/** Attributes that have a place of their own in an event of the mesh; the others end up in the payload. */
const TAKEN = ['specversion', 'id', 'source', 'type', 'time', 'data', 'data_base64'];
const EXTENSIONS = ['outcome', 'session', 'agent', 'depth', 'tenant', 'lineage'];

/**
 * Reads a CloudEvents 1.0 event in its JSON form. Its source and id together name it, so both make the id of the event. The
 * extension attributes `outcome`, `session`, `agent`, `depth` and `tenant` become those fields, and `lineage` is the token of
 * the agent that reports.
 */
export function cloudEvent(raw: unknown): Mapped {
  if (!isObject(raw)) {
    return refused({ path: '', message: 'expected a CloudEvents event', expected: 'an object with `specversion`' });
  }
  const attributes = givenOf(raw);
  const [problem, ...others] = problemsOf(attributes);
  if (problem !== undefined) return refused(problem, ...others);

  const { id, source, type, time } = attributes as Record<'id' | 'source' | 'type', string> & { time?: string };
  const { lineage: token, ...extensions } = pick(attributes, EXTENSIONS);
  return {
    ok: true,
    event: {
      event: type,
      // Values of extensions are checked with the whole event, like those of an event that is no CloudEvents one.
      outcome: 'unknown',
      ...extensions,
      ...(extensions['depth'] !== undefined && { depth: numberIn(extensions['depth']) as number }),
      ...(token !== undefined && { lineage: lineageOf(token) }),
      id: stableId('ce', [shortHash(source).slice(0, 16), id]),
      source: label(source),
      ...(time !== undefined && { occurredAt: time }),
      payload: payloadOf(attributes),
    },
  };
}

/** JSON writes an attribute that is not set as null. */
function givenOf(raw: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== undefined && value !== null));
}

function problemsOf(attributes: Record<string, unknown>): Problem[] {
  const { specversion, id, source, type, time } = attributes;
  const problems: Problem[] = [];
  const check = (isRight: boolean, ...[key, value, expected, hint]: Parameters<typeof wrongValue>) => {
    if (!isRight) problems.push(wrongValue(key, value, expected, hint));
  };
  check(specversion === '1.0', 'specversion', specversion, '"1.0"');
  check(isText(id), 'id', id, 'a non-empty text');
  check(isText(source), 'source', source, 'a non-empty text');
  check(
    typeof type === 'string' && MAPPED_EVENT_NAME.test(type),
    ...(['type', type, 'an event name: a letter, then up to 127 letters, digits or . _ : -'] as const),
  );
  check(time === undefined || isTime(time), 'time', time, 'a time such as 2026-01-02T03:04:05Z');
  if (attributes['data_base64'] !== undefined) {
    problems.push({
      path: 'data_base64',
      message: 'binary data is not taken',
      expected: 'JSON in `data`',
      hint: 'send JSON in `data`',
    });
  }
  return problems;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value));
}

function pick(attributes: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => names.includes(name)));
}

/** What is no text is left as it is, so that the problem shows what stood there. */
function lineageOf(token: unknown): { token: string } {
  return typeof token === 'string' ? { token } : (token as { token: string });
}

/** In HTTP headers every value is a text. */
function numberIn(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

/** Data that has a key `cloudevent` itself keeps it, and the attributes without a place are left out. */
function payloadOf(attributes: Record<string, unknown>): Record<string, unknown> {
  const { data } = attributes;
  const payload = data === undefined ? {} : isObject(data) ? data : { data };
  const others = Object.entries(attributes).filter(([name]) => !TAKEN.includes(name) && !EXTENSIONS.includes(name));
  if (others.length === 0 || Object.hasOwn(payload, 'cloudevent')) return payload;
  return { ...payload, cloudevent: Object.fromEntries(others) };
}

const NAMES: Record<string, string> = { event: 'type', occurredAt: 'time', payload: 'data' };

/** CloudEvents have other names for the same things. */
export function inCloudEvent(path: string): string {
  return path.replace(/^(event|occurredAt|payload)(?=$|[.[])/, (name) => NAMES[name] ?? name);
}

/**
 * Puts an event in CloudEvents' binary HTTP form together in the JSON form: attributes from the `ce-` headers, the body as
 * data. What is missing or wrong is left to `cloudEvent`.
 */
export function fromBinary(headers: Record<string, string | undefined>, body: unknown): unknown {
  const attributes: [string, unknown][] = [];
  for (const [header, value] of Object.entries(headers)) {
    const name = header.toLowerCase();
    if (typeof value !== 'string') continue;
    if (name.startsWith('ce-')) attributes.push([name.slice('ce-'.length), decoded(value)]);
    if (name === 'content-type') attributes.push(['datacontenttype', value]);
  }
  if (body !== undefined) attributes.push(['data', body]);
  // Entries, not assignment: a header named ce-__proto__ must stay a key.
  return Object.fromEntries(attributes);
}

/** Quoted by older senders, and percent-encoded once: https://github.com/cloudevents/spec, HTTP binding, 3.1.3.2. */
function decoded(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(value.trim())?.[1];
  const text = quoted === undefined ? value : quoted.replace(/\\(.)/g, '$1');
  // Not decodeURIComponent, which throws at bytes that are no UTF-8.
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    new TextDecoder().decode(Uint8Array.from(bytes.slice(1).split('%'), (byte) => Number.parseInt(byte, 16))),
  );
}
