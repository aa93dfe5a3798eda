import type { Socket } from 'node:net';
import { GatewayProblem } from './gateway-problem.js';
import type { ProblemCode } from './problem-codes.js';

/** Answers what never became a request, in the form of every other error, and ends the connection. */
export function refuseRaw(error: { code?: string }, socket: Socket, makeId: () => string): ProblemCode | undefined {
  if (GONE.has(error.code) || socket.destroyed) {
    socket.destroy();
    return undefined;
  }
  const code = CODES[error.code ?? ''] ?? 'malformed-http';
  const problem = new GatewayProblem(code);
  const requestId = makeId();
  const body = JSON.stringify(problem.toJson(requestId));
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
  ].join('\r\n');
  if (socket.writable) socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy());
  else socket.destroy();
  return code;
}

/** The other side hung up, maybe in the middle of a request: nobody is there to be answered. */
const GONE = new Set<string | undefined>(['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE']);

const CODES: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
};
