import { connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { eventually } from './eventually.js';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Lets a gateway listen on a port of its own. */
export async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** From now on: waits until the gateway has read something on each of so many connections. */
export function listening(app: FastifyInstance): { hears(connections: number): Promise<true> } {
  const sockets: Socket[] = [];
  app.server.on('connection', (socket: Socket) => sockets.push(socket));
  const heard = () => sockets.filter(({ bytesRead }) => bytesRead > 0).length;
  return {
    hears: (connections) =>
      eventually(`word on ${connections} connections`, () => (heard() === connections ? true : undefined)),
  };
}

export interface RawConnection {
  socket: Socket;
  /** Everything that came back so far. */
  received(): string;
  /** Resolves with everything that came back, once the other side has closed. */
  closed: Promise<string>;
}

/** A connection on which a test says exactly what it wants to say. */
export function openRaw(port: number, text = ''): RawConnection {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => (received += chunk));
  const closed = new Promise<string>((resolve) => {
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
  });
  if (text !== '') socket.write(text);
  return { socket, received: () => received, closed };
}

/** Every answer in what came back on one connection. */
export function readAnswers(received: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = received;
  while (rest.startsWith('HTTP/1.1 ')) {
    const end = rest.indexOf('\r\n\r\n');
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = Number(headers['content-length'] ?? 0);
    answers.push({ status: Number(first.split(' ')[1]), headers, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

export function readAnswer(received: string): RawAnswer {
  const [answer] = readAnswers(received);
  if (!answer) throw new Error(`no answer in ${JSON.stringify(received)}`);
  return answer;
}
