import type { z } from 'zod';
import { formatPath } from '#contract/text/problem.js';
import { judgeStatus, type Outbound, type OutboundPolicy } from '#adapters/http/create-outbound.js';
import { TargetFailure } from '../target.js';

/** How a target is reached. */
export interface Line {
  outbound: Outbound;
  policy: OutboundPolicy;
  /** Without a slash at its end. */
  base: string;
  token: string | undefined;
  ca: string | undefined;
}

export interface Call<Answer> {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** The part of the answer that is needed. */
  answer: z.ZodType<Answer>;
  timeoutMs?: number;
  /** Refusals that this call may be tried again after, beside the usual ones. */
  alsoLater?: readonly number[];
}

export type Answered<Answer> = { ok: true; answer: Answer } | { ok: false; status: number; failure: TargetFailure };

/** Sends one request. `who` is what messages call the other side. A refusal is an answer, since a target may expect it. */
export async function send<Answer>(
  who: string,
  { outbound, policy, base, token, ca }: Line,
  { method, path, headers = {}, body, answer, timeoutMs, alsoLater }: Call<Answer>,
  signal: AbortSignal,
): Promise<Answered<Answer>> {
  const sent = await outbound.send(
    {
      url: base + path,
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(token !== undefined && { secrets: [token] }),
      ...(ca !== undefined && { ca }),
      signal,
    },
    policy,
  );
  switch (sent.kind) {
    case 'cancelled':
      // Throws the reason: the activity was cancelled, or its time is up.
      signal.throwIfAborted();
      throw new TargetFailure('the request was given up', { isFinal: false });
    case 'failed':
      throw new TargetFailure(sent.reason, { isFinal: sent.isFinal, cause: sent.cause });
    case 'answered': {
      const verdict = judgeStatus(sent, Date.now(), alsoLater);
      if (verdict.ok) return { ok: true, answer: read(who, `${method} ${path}`, answer, sent.text) };
      return { ok: false, status: sent.status, failure: new TargetFailure(`${who} ${verdict.reason}`, verdict) };
    }
  }
}

/** The same, for calls where every refusal is a failure. */
export async function ask<Answer>(who: string, line: Line, call: Call<Answer>, signal: AbortSignal): Promise<Answer> {
  const answered = await send(who, line, call, signal);
  if (answered.ok) return answered.answer;
  throw answered.failure;
}

/** Says where the answer is wrong, and never what it says there: that is another program's text. */
function read<Answer>(who: string, call: string, schema: z.ZodType<Answer>, text: string): Answer {
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = formatPath(issue?.path ?? []) || 'the answer';
  throw new TargetFailure(`${who} answered ${call} with something else: expected ${where} to be ${issue?.message}`, {
    isFinal: true,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
