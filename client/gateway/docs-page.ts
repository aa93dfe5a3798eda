import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

export const DOCS_PATH = '/docs';

/** A page on which a person can read and try the routes. Everything it needs comes from here, so it works offline. */
export async function addDocsPage(app: FastifyInstance, document: object): Promise<void> {
  // Whoever opens the bare address in a browser looks for it. Relative, since a proxy may have put a path before it.
  app.get('/', (_request, reply) => reply.redirect(DOCS_PATH.slice(1)));
  await app.register(swagger, { mode: 'static', specification: { document: document as never } });
  await app.register(swaggerUi, {
    routePrefix: DOCS_PATH,
    // The default would ask a server elsewhere whether the document is valid.
    uiConfig: { validatorUrl: null, docExpansion: 'list', tryItOutEnabled: false, persistAuthorization: false },
    // The bar above would load descriptions from elsewhere, and says whose page it is not.
    theme: {
      title: 'Remediation mesh',
      css: [{ filename: 'mesh.css', content: '.swagger-ui .topbar { display: none }' }],
    },
    uiHooks: {
      onRequest: (_request, reply, done) => {
        reply.headers(DOCS_HEADERS);
        done();
      },
    },
  });
}

/** The page at /docs runs its own scripts, and reaches nothing but this gateway. */
const DOCS_HEADERS: Record<string, string> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cache-control': 'no-cache',
};
