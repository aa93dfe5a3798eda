import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { EventInput } from '#client/event-input.js';

export interface Post {
  path: string;
  headers: IncomingHttpHeaders;
  /** As sent: one event, or an array. */
  body: EventInput | EventInput[];
}

/** A status, that one with a body, or no answer at all. */
export type Answer = number | { status: number; body: unknown } | 'hang';

export interface GatewayStub {
  url: string;
  port: number;
  posts: Post[];
  /** Ids of all events it answered 202 for, in order. */
  taken(): string[];
  close(): Promise<void>;
}

/** A real HTTP server in the place of the gateway, which answers what a test wants. */
export async function startGatewayStub(
  answer: Answer | ((post: Post) => Answer) = 202,
  port = 0,
): Promise<GatewayStub> {
  const posts: Post[] = [];
  const takenIds: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const post: Post = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text) };
      posts.push(post);
      const chosen = typeof answer === 'function' ? answer(post) : answer;
      if (chosen === 202) takenIds.push(...[post.body].flat().map(({ id }) => id ?? ''));
      if (chosen !== 'hang') reply(response, chosen);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  const { port: chosenPort } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${chosenPort}`, port: chosenPort, posts, taken: () => takenIds, close };
}

function reply(response: ServerResponse, answer: Exclude<Answer, 'hang'>): void {
  const { status, body } = typeof answer === 'number' ? { status: answer, body: {} } : answer;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
