import { createServer, type IncomingHttpHeaders } from 'node:http';
import { json } from 'node:stream/consumers';

export interface BridgeRequest {
  headers: IncomingHttpHeaders;
  body: unknown;
}

export interface BridgeServer {
  url: string;
  requests: BridgeRequest[];
  /** What to answer next; when used up, capacity is warm. `hang` never answers. */
  script: ({ status: number; headers?: Record<string, string>; body?: unknown } | 'hang')[];
  close(): Promise<void>;
}

/** A real HTTP server in the place of a capacity bridge. */
export async function startBridgeServer(): Promise<BridgeServer> {
  const requests: BridgeRequest[] = [];
  const script: BridgeServer['script'] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      requests.push({ headers: request.headers, body });
      const next = script.shift() ?? { status: 200, body: { warmed: true, environmentId: 'env-1' } };
      if (next === 'hang') return;
      response.writeHead(next.status, { 'content-type': 'application/json', ...next.headers });
      response.end(JSON.stringify(next.body ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/warm`,
    requests,
    script,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
