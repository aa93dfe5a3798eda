import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import type { OutboundAnswer, OutboundRequest } from '#adapters/http/create-outbound.js';

type Json = Record<string, unknown>;
type Content = Record<'application/json', { schema: Json }>;

interface WrittenOperation {
  parameters?: { name: string; in: string; required: boolean }[];
  requestBody?: { content: Content };
  responses: Record<string, { content: Content }>;
}

export interface Operation {
  /** Such as `GET /v1/environments/{id}`. */
  call: string;
  headers: string[];
  body?: z.ZodType;
  /** By status, or `default`. */
  answers: Record<string, z.ZodType>;
}

export interface Exchange {
  request: OutboundRequest;
  answer: OutboundAnswer;
}

const FILE = new URL('../../config/examples/capacity-bridge.openapi.yaml', import.meta.url);

export const contract: { paths: Record<string, Json>; components: { schemas: Json } } = parse(
  readFileSync(FILE, 'utf8'),
);

/** What the file says, with everything in it resolved. Nothing that it does not name is let through. */
export const operations: Operation[] = Object.entries(contract.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, written]) =>
    operationOf(`${method.toUpperCase()} ${path}`, resolved(written) as WrittenOperation),
  ),
);

export function schemaNamed(name: string): Json {
  return resolved(contract.components.schemas[name]) as Json;
}

/** What is wrong with an exchange by the file; nothing, if all is well. */
export function problemsOfExchange({ request, answer }: Exchange): string[] {
  const operation = operationFor(request);
  if (!operation) return [`${request.method} ${request.url} is not in the file`];
  if (answer.kind !== 'answered') return [`${operation.call} was not answered`];
  const sent = Object.keys(request.headers ?? {}).map((name) => name.toLowerCase());
  const missing = operation.headers.filter((name) => !sent.includes(name.toLowerCase()));
  return [
    ...missing.map((name) => `${operation.call} without ${name}`),
    ...problemsOf(`request of ${operation.call}`, operation.body, request.body),
    ...problemsOf(`answer to ${operation.call}`, answerSchema(operation, answer.status), answer.text),
  ];
}

export function operationFor({ method, url }: Pick<OutboundRequest, 'method' | 'url'>): Operation | undefined {
  const { pathname } = new URL(url);
  return operations.find(({ call }) => {
    const [itsMethod, path = ''] = call.split(' ');
    return itsMethod === method && new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname);
  });
}

function answerSchema({ answers }: Operation, status: number): z.ZodType | undefined {
  return answers[status] ?? (status >= 400 ? answers['default'] : undefined);
}

function problemsOf(what: string, schema: z.ZodType | undefined, text: string | undefined): string[] {
  if (schema === undefined) return text === undefined ? [] : [`${what} is not described`];
  const parsed = schema.safeParse(JSON.parse(text ?? 'null'));
  return parsed.success ? [] : [`${what}: ${z.prettifyError(parsed.error)}`];
}

function operationOf(call: string, { parameters = [], requestBody, responses }: WrittenOperation): Operation {
  const headers = parameters.filter((parameter) => parameter.in === 'header' && parameter.required);
  const answers = Object.entries(responses).map(([status, { content }]) => [status, schemaIn(content)] as const);
  return {
    call,
    headers: headers.map(({ name }) => name),
    ...(requestBody && { body: schemaIn(requestBody.content) }),
    answers: Object.fromEntries(answers),
  };
}

function schemaIn(content: Content): z.ZodType {
  return z.fromJSONSchema(content['application/json'].schema);
}

/** Without references, and with objects that take no other properties than theirs. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return resolved(target(String(value.$ref)));
  const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(one)]));
  return 'properties' in inner ? { ...inner, additionalProperties: false } : inner;
}

function target(reference: string): unknown {
  const keys = reference.replace(/^#\//, '').split('/');
  const found = keys.reduce<unknown>((at, key) => (at as Json | undefined)?.[key], contract);
  if (found === undefined) throw new Error(`${reference} leads nowhere`);
  return found;
}
