import { startHttpTarget, type TargetRequest } from './http-target.js';

export interface LossyProxy {
  url: string;
  /** The next call of this kind gets through, and its answer does not: the connection ends instead. */
  loseAnswerTo(call: string): void;
  close(): Promise<void>;
}

/** Stands before a real server. */
export async function startLossyProxy(serverUrl: string): Promise<LossyProxy> {
  const proxy = await startHttpTarget();
  const lost = new Set<string>();
  proxy.answer((response, request) => {
    const pass = async () => {
      const answer = await forward(serverUrl, request);
      const text = await answer.text();
      if (lost.delete(`${request.method} ${request.path}`)) response.socket?.destroy();
      else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    };
    pass().catch(() => response.socket?.destroy());
  });
  return { url: proxy.url, loseAnswerTo: (call) => void lost.add(call), close: proxy.close };
}

const PASSED_ON = ['authorization', 'content-type', 'idempotency-key'];

function forward(serverUrl: string, { method, path, headers, body }: TargetRequest): Promise<Response> {
  const kept = Object.entries(headers).filter(([name]) => PASSED_ON.includes(name)) as [string, string][];
  return fetch(serverUrl + path, { method, headers: kept, ...(body !== '' && { body }) });
}
