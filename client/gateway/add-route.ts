import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readJson } from './read-json.js';
import { readInput, readQuery } from './read-request.js';
import type { Route, RouteWorld } from './route.js';
import { visitOf } from './visit.js';

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
