import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * What it does with whatever comes. The last two take it, and leave who sent it in doubt; `down`: nothing listens.
 */
export const HTTP_MOODS = ['hang', 'reset', '500', '503', 'down', 'take-and-reset', 'take-and-hang'] as const;
export type HttpMood = 'good' | (typeof HTTP_MOODS)[number];

export interface Came {
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** An HTTP server with moods. In a good one it hands what comes to `take`, which says what to answer. */
export interface MoodyHttp {
  url: string;
  mood(mood: HttpMood): Promise<void>;
  close(): Promise<void>;
}

export interface Reply {
  status: number;
  body: string;
}

export async function startMoodyHttp(take: (came: Came) => Reply): Promise<MoodyHttp> {
  const sockets = new Set<Socket>();
  let mood: HttpMood = 'good';

  function handle(came: Came, response: ServerResponse): void {
    if (mood === 'hang') return;
    if (mood === 'reset') return void response.socket?.destroy();
    if (mood === '500' || mood === '503') return void response.writeHead(Number(mood)).end();
    const { status, body } = take(came);
    if (mood === 'take-and-hang') return;
    if (mood === 'take-and-reset') return void response.socket?.destroy();
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  }

  function listen(port: number): Promise<Server> {
    const server = createServer((incoming, response) => {
      const { url: path = '', headers } = incoming;
      text(incoming).then(
        (body) => handle({ at: Date.now(), path, headers, body }, response),
        () => undefined, // Whoever asked has gone before its body was complete.
      );
    });
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => resolve(server));
    });
  }

  async function stop(running: Server): Promise<void> {
    const closed = new Promise((resolve) => running.close(resolve));
    cutAll();
    await closed;
  }

  function cutAll(): void {
    for (const socket of sockets) socket.destroy();
  }

  let server: Server | undefined = await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async mood(next) {
      // Whoever was left hanging in the mood before would wait for the time limit of its attempt.
      if (mood.endsWith('hang') && next !== mood) cutAll();
      mood = next;
      if (mood === 'down' && server) {
        const running = server;
        server = undefined;
        await stop(running);
      }
      if (mood !== 'down') server ??= await listen(port);
    },
    async close() {
      if (server) await stop(server);
    },
  };
}
