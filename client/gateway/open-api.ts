import { z } from 'zod';
import { ROLE_MEANINGS } from '#contract/roles.js';
import { PROBLEM_CODES, type ProblemCode } from './problem-codes.js';
import { type AnswerSpec, OPEN_TO_PROBES, type Route, type RouteTag } from './route.js';
import * as schemas from './schemas/index.js';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of a table of routes. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Remediation mesh',
      version,
      description:
        'Report events of agent runtimes, see what became of them, and operate the mesh. Accepted means stored: an answer ' +
        'of 2xx comes only after Temporal has the events.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components(),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: TOKENS } },
    },
  };
}

const TAGS: Record<RouteTag, string> = {
  events: 'Report events, and see how they were judged.',
  remediations: 'What fired rules have led to.',
  tenant: 'The tenant as a whole: its watch, its guards, its kill switch.',
  service: 'The gateway itself.',
};

const TOKENS =
  'A token from `mesh token new`, whose hash stands in `mesh.yaml`. Roles: ' +
  Object.entries(ROLE_MEANINGS)
    .map(([role, meaning]) => `\`${role}\`: ${meaning}`)
    .join(' ') +
  ' With no tokens configured none is needed, and only this machine is served.';

/** Every schema with a name of its own; others refer to it. */
const named = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(schemas)) {
  if (schema instanceof z.ZodType) named.add(schema, { id });
}

const refTo = (id: string) => `#/components/schemas/${id}`;

function components(): Json {
  const made = z.toJSONSchema(named, { uri: refTo, unrepresentable: 'any' }).schemas as Record<string, Json>;
  return Object.fromEntries(
    Object.entries(made).map(([id, { $id: _id, $schema: _schema, ...schema }]) => [id, schema]),
  );
}

function schemaOf(schema: z.ZodType): Json {
  const id = named.get(schema)?.id;
  if (id !== undefined) return { $ref: refTo(id) };
  const { $schema: _schema, ...inline } = z.toJSONSchema(schema, { unrepresentable: 'any' }) as Json;
  return inline;
}

function operation(route: Route): Json {
  const { id, tag, summary, role } = route;
  const needs = role === 'none' ? 'Needs no token.' : `Needs the role \`${role}\`.`;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [route.description, needs].filter((part) => part !== undefined).join(' '),
    ...(role === 'none' ? { security: [] } : { security: [{ token: [] }], 'x-role': role }),
    ...parameters(route),
    ...requestBody(route),
    responses: { ...answers(route.answers), ...problemAnswers(route) },
  };
}

function parameters({ params, query, headers = {} }: Route): Json {
  const from = (place: 'path' | 'query', schema: z.ZodObject | undefined) =>
    Object.entries<z.ZodType>(schema?.shape ?? {}).map(([name, inner]) => {
      const { description, ...json } = schemaOf(inner);
      const isRequired = !inner.isOptional();
      return { name, in: place, required: isRequired, ...(description !== undefined && { description }), schema: json };
    });
  const all = [
    ...from('path', params),
    ...from('query', query),
    ...Object.entries(headers).map(([name, description]) => ({
      ...{ name, in: 'header', required: false, description },
      schema: { type: 'string' },
    })),
  ];
  return all.length === 0 ? {} : { parameters: all };
}

function requestBody({ bodies, isBodyOptional = false }: Route): Json {
  if (!bodies) return {};
  const content = Object.entries(bodies).map(([type, schema]) => [type, { schema: schemaOf(schema) }] as const);
  return { requestBody: { required: !isBodyOptional, content: Object.fromEntries(content) } };
}

function answers(specs: Record<number, AnswerSpec>): Json {
  const all = Object.entries(specs).map(([status, { what, type = 'application/json', schema }]) => [
    status,
    { description: what, content: { [type]: { schema: schema ? schemaOf(schema) : { type: 'string' } } } },
  ]);
  return Object.fromEntries(all) as Json;
}

/** What can be answered to any request that got as far as a route. */
const OF_EVERY_ROUTE: readonly ProblemCode[] = ['origin-refused', 'internal', 'too-many-connections', 'stopping'];
const BUT_OF_PROBES: readonly ProblemCode[] = ['host-refused', 'config-unavailable'];
const WITH_TOKEN: readonly ProblemCode[] = ['unauthorized', 'forbidden', 'rate-limited'];
const WITH_BODY: readonly ProblemCode[] = ['invalid-json', 'too-large', 'unsupported-media-type', 'request-timeout'];
const WITH_INPUT: readonly ProblemCode[] = ['invalid-request'];

/** Every code a route can answer with. */
export function problemsOfRoute({ path, role, bodies, params, query, problems }: Route): ProblemCode[] {
  const all = [
    ...problems,
    ...OF_EVERY_ROUTE,
    ...(OPEN_TO_PROBES.has(path) ? [] : BUT_OF_PROBES),
    ...(role === 'none' ? [] : WITH_TOKEN),
    ...(bodies ? WITH_BODY : []),
    ...(params || query ? WITH_INPUT : []),
  ];
  return [...new Set(all)];
}

function problemAnswers(route: Route): Json {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of problemsOfRoute(route)) {
    const { status } = PROBLEM_CODES[code];
    if (route.answers[status]) continue;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const all = [...byStatus].map(([status, codes]) => [
    status,
    {
      description: codes.map((code) => `\`${code}\`: ${PROBLEM_CODES[code].meaning}`).join(' '),
      content: { 'application/problem+json': { schema: { $ref: refTo('ProblemAnswer') } } },
    },
  ]);
  return Object.fromEntries(all) as Json;
}
