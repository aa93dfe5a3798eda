import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayProblem } from './gateway-problem.js';

export interface ConnectionLimit {
  open(): number;
  /** Refuses a request of a connection that is one too many. */
  require(socket: Socket): void;
}

/** So many more connections are taken, to be told why they are refused. Connections beyond them are closed without a word. */
const HEARERS = 100;

export function limitConnections(server: Server, most: number): ConnectionLimit {
  const open = new Set<Socket>();
  const surplus = new WeakSet<Socket>();
  server.maxConnections = most + HEARERS;
  server.on('connection', (socket) => {
    open.add(socket);
    if (open.size > most) surplus.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return {
    open: () => open.size,
    require(socket) {
      if (!surplus.has(socket)) return;
      throw new GatewayProblem('too-many-connections', `the gateway takes ${most} connections`, {
        retryAfterSeconds: 5,
        headers: { connection: 'close' },
      });
    },
  };
}
