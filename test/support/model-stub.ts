import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';

/**
 * What the model says next: a text ends its turn, a tool call asks for a result, a status makes the request fail. One that
 * thinks never answers.
 */
export type ModelTurn =
  | { says: string }
  | { calls: string; with: Record<string, unknown> }
  | { failsWith: number; message: string }
  | { thinks: true };

export interface ModelStub {
  url: string;
  /** Requests for which the script had no turn, or that are no request to a model: what a new client might do. */
  unexpected: string[];
  /** What the model was asked, in order. */
  asked: ModelRequest[];
  close(): Promise<void>;
}

export interface ModelRequest {
  model: string;
  stream?: boolean;
  messages: { role: string; content: unknown }[];
}

/**
 * Speaks the Messages API on loopback. A conversation is known by a text in its first message (a client starts one of its own
 * for each of its subagents) and goes through its turns in order.
 */
export async function startModelStub(conversations: Record<string, ModelTurn[]>): Promise<ModelStub> {
  const unexpected: string[] = [];
  const requests: ModelRequest[] = [];
  let calls = 0;
  const server = createServer((request, response) => {
    void answer(request, response);
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    if (request.method === 'HEAD') return void response.writeHead(404).end();
    if (request.method !== 'POST' || !/^\/v1\/messages(\?|$)/.test(request.url ?? '')) {
      unexpected.push(`${request.method} ${request.url}`);
      return fail(response, 404, 'not here');
    }
    const asked = JSON.parse(body) as ModelRequest;
    requests.push(asked);
    const turn = turnFor(asked);
    if (turn === undefined) {
      unexpected.push(`turn after ${JSON.stringify(asked.messages.at(-1)).slice(0, 200)}`);
      return fail(response, 400, 'the script has no such turn');
    }
    if ('thinks' in turn) return;
    if ('failsWith' in turn) return fail(response, turn.failsWith, turn.message);
    stream(response, asked.model, turn, String(++calls).padStart(24, '0'));
  }

  function turnFor({ messages }: ModelRequest): ModelTurn | undefined {
    const first = JSON.stringify(messages[0]);
    const name = Object.keys(conversations).find((known) => first.includes(known));
    const said = messages.filter(({ role }) => role === 'assistant').length;
    return name === undefined ? undefined : conversations[name]?.[said];
  }

  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
  return {
    url: `http://127.0.0.1:${port}`,
    unexpected,
    asked: requests,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const ERROR_TYPES: Record<number, string> = {
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

function fail(response: ServerResponse, status: number, message: string): void {
  const type = ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'error', error: { type, message } }));
}

/** Server-sent events, in the order in which the API sends them. */
function stream(
  response: ServerResponse,
  model: string,
  turn: Extract<ModelTurn, { says: string } | { calls: string }>,
  serial: string,
): void {
  const [block, delta, stopReason] =
    'says' in turn
      ? [{ type: 'text', text: '' }, { type: 'text_delta', text: turn.says }, 'end_turn']
      : [
          { type: 'tool_use', id: `toolu_${serial}`, name: turn.calls, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(turn.with) },
          'tool_use',
        ];
  // Messages of one id are one message to the client.
  const message = { id: `msg_${serial}`, type: 'message', role: 'assistant', model, content: [] };
  const usage = { input_tokens: 1, output_tokens: 1 };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ]) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}
