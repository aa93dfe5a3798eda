import { type Dispatcher, request } from 'undici';
import { z } from 'zod';

export interface BridgeCall {
  url: string;
  token: string | undefined;
  effectKey: string;
  timeoutMs: number;
  signal: AbortSignal;
  body: Record<string, unknown>;
}

export type BridgeAnswer =
  | { kind: 'warmed'; environmentId?: string }
  | { kind: 'declined'; reason?: string }
  | { kind: 'cancelled' }
  | { kind: 'failed'; reason: string; isFinal: boolean; retryAfterMs?: number; cause?: unknown };

const Answer = z.object({
  warmed: z.boolean(),
  environmentId: z.string().max(200).optional(),
  reason: z.string().max(500).optional(),
});

const MAX_ANSWER_BYTES = 1024 * 1024;

/** One POST to the bridge. The effect key goes along as Idempotency-Key, so a bridge can recognise a retry. */
export async function callBridge(call: BridgeCall): Promise<BridgeAnswer> {
  const limit = AbortSignal.timeout(call.timeoutMs);
  try {
    const response = await request(call.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': call.effectKey,
        ...(call.token !== undefined && { authorization: `Bearer ${call.token}` }),
      },
      body: JSON.stringify(call.body),
      signal: AbortSignal.any([call.signal, limit]),
    });
    return judgeResponse(response, await readLimited(response.body));
  } catch (cause) {
    if (call.signal.aborted) return { kind: 'cancelled' };
    if (limit.aborted) return { kind: 'failed', reason: `no answer within ${call.timeoutMs}ms`, isFinal: false, cause };
    return { kind: 'failed', reason: describe(cause), isFinal: false, cause };
  }
}

function judgeResponse({ statusCode, headers }: Dispatcher.ResponseData, text: string): BridgeAnswer {
  if (statusCode < 200 || statusCode > 299) {
    const isFinal = statusCode < 500 && statusCode !== 408 && statusCode !== 429;
    const retryAfterMs = retryAfter(headers['retry-after']);
    return {
      kind: 'failed',
      reason: `the bridge answered ${statusCode}`,
      isFinal,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  }
  const parsed = Answer.safeParse(parseJson(text));
  if (!parsed.success) {
    return { kind: 'failed', reason: 'the answer of the bridge is not {"warmed": true|false, …}', isFinal: true };
  }
  const { warmed, environmentId, reason } = parsed.data;
  if (warmed) return { kind: 'warmed', ...(environmentId !== undefined && { environmentId }) };
  return { kind: 'declined', ...(reason !== undefined && { reason }) };
}

async function readLimited(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const MAX_RETRY_AFTER_MS = 3_600_000;

function retryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : undefined;
}

function describe(cause: unknown): string {
  const { code, message } = cause as Error & { code?: string };
  return [code, message].filter((part) => part !== undefined && part !== '').join(': ');
}
