import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { type CertificateName, certificate } from './certificates.js';

export interface TargetRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type TargetAnswer =
  | { status?: number; headers?: Record<string, string>; body?: string }
  | ((response: ServerResponse, request: TargetRequest) => void);

export interface HttpTarget {
  port: number;
  /** At 127.0.0.1. */
  url: string;
  requests: TargetRequest[];
  /** How many connections were ever accepted, with or without a request on them. */
  connections(): number;
  /** How many of them are open. */
  openConnections(): number;
  /** To every request from now on. */
  answer(answer: TargetAnswer): void;
  close(): Promise<void>;
}

export interface TargetOptions {
  /** Makes it an HTTPS server. */
  certificate?: CertificateName;
  /** On every address of the machine, so that no form of loopback is missed. */
  everywhere?: boolean;
}

/** A real HTTP or HTTPS server that answers what a test wants and counts who comes. */
export async function startHttpTarget(options: TargetOptions = {}): Promise<HttpTarget> {
  const requests: TargetRequest[] = [];
  let chosen: TargetAnswer = {};
  let connections = 0;
  let open = 0;
  const onRequest: RequestListener = (incoming, response) => {
    const { method = '', url: path = '', headers } = incoming;
    void text(incoming).then((body) => {
      const request = { method, path, headers, body };
      requests.push(request);
      reply(chosen, response, request);
    }, ignoreAbort);
  };
  const server =
    options.certificate === undefined
      ? createServer(onRequest)
      : createTlsServer(certificate(options.certificate), onRequest);
  server.on('connection', (socket) => {
    connections += 1;
    open += 1;
    socket.on('close', () => (open -= 1));
  });
  await listen(server, options.everywhere === true ? ['::', '0.0.0.0'] : ['127.0.0.1']);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${options.certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    openConnections: () => open,
    answer: (answer) => (chosen = answer),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Whoever asked has gone before its body was complete. */
function ignoreAbort(): void {}

function reply(answer: TargetAnswer, response: ServerResponse, request: TargetRequest): void {
  if (typeof answer === 'function') return answer(response, request);
  const { status = 200, headers = {}, body = '' } = answer;
  response.writeHead(status, headers).end(body);
}

/** On the first address there is: a machine may be without IPv6. */
async function listen(server: Server, [host = '', ...others]: string[]): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    if (others.length === 0) throw error;
    await listen(server, others);
  }
}
