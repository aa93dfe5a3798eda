import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readInput, readQuery } from './read-request.js';
import type { Route, RouteWorld } from './route.js';
import { visitOf } from './visit.js';
import { describeJsonError } from '../json-error.js';
import { GatewayProblem } from './gateway-problem.js';

/** Registers one entry of the table, with the content types it takes and no others. */
export function addRoute(app: FastifyInstance, entry: Route, world: RouteWorld): void {
  void app.register(async (scope) => {
    const isOptional = entry.isBodyOptional ?? false;
    for (const type of Object.keys(entry.bodies ?? {})) {
      scope.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body: Buffer, done) => {
        try {
          done(null, body.length === 0 && (isOptional || isBinaryCloudEvent(request)) ? undefined : readJson(body));
        } catch (error) {
          done(error as Error);
        }
      });
    }
    scope.route({
      method: entry.method,
      url: entry.path,
      config: { entry },
      async handler(request, reply) {
        const { admitted } = visitOf(request);
        if (!admitted) throw new Error('a request came past the gate');
        const {
          status,
          body,
          type = 'application/json; charset=utf-8',
        } = await entry.handle(
          {
            ...admitted,
            params: entry.params ? readInput(entry.params, request.params) : {},
            query: entry.query ? readQuery(entry.query, request.query as object) : {},
            body: request.body,
            contentType: mediaTypeOf(request),
            headers: request.headers,
            requestId: request.id,
          },
          world,
        );
        return reply
          .code(status)
          .type(type)
          .send(typeof body === 'string' ? body : JSON.stringify(body));
      },
    });
  });
}

/** Its body is the data alone, of which there may be none. */
function isBinaryCloudEvent({ headers }: FastifyRequest): boolean {
  return headers['ce-specversion'] !== undefined;
}

function mediaTypeOf({ headers }: FastifyRequest): string {
  return (headers['content-type']?.split(';')[0] ?? '').trim().toLowerCase();
}

/**
 * Reads a body. Plain `JSON.parse`: a key such as `__proto__` becomes a key like any other here, and is refused by the check
 * of the payload, with its path.
 */
function readJson(body: Buffer): unknown {
  if (body.length === 0) throw new GatewayProblem('invalid-json', 'the body is empty: expected JSON');
  requireShallow(body);
  let text: string;
  try {
    // Takes a byte order mark away, and nothing else.
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new GatewayProblem('invalid-json', 'the body is not UTF-8');
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new GatewayProblem('invalid-json', `the body is not JSON: ${describeJsonError(text)}`);
  }
}

/** More than an array of events with the deepest payload that is taken, so that such a payload is refused by name. */
const MAX_LEVELS = 200;

/** `JSON.parse` takes very long over a body that is nested very deep, and so does every walk through its result. */
function requireShallow(body: Uint8Array): void {
  let levels = 0;
  let isText = false;
  // Only ASCII characters count, and no byte of another character looks like one of them.
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) levels += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) levels -= 1;
    if (levels > MAX_LEVELS)
      throw new GatewayProblem(
        'invalid-json',
        `the body is nested more than ${MAX_LEVELS} levels deep, at position ${at}`,
      );
  }
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');
