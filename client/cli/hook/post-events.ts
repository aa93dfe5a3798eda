import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { formatProblem, type Problem } from '#contract/text/problem.js';
import { WrongEventError } from '../../errors.js';
import type { EventInput } from '../../event-input.js';
import { quickLookup } from './quick-lookup.js';

export interface PostTarget {
  url: string;
  token: string | undefined;
}

const STORED = 202;
/** What the gateway will not take, however often it is sent. */
const REFUSED_FOR_GOOD = [400, 413, 415, 422];
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Posts one event or an array. Resolves once the gateway says they are stored; rejects with a `WrongEventError` when one is
 * refused for good, else with a `GatewayError`.
 */
export async function postEvents(
  { url, token }: PostTarget,
  events: EventInput | readonly EventInput[],
  withinMs: number,
): Promise<void> {
  const body = JSON.stringify(events);
  const target = eventsUrl(url);
  const { request } = target.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const options: RequestOptions = {
    method: 'POST',
    lookup: quickLookup,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  };
  const { status, text } = await exchange(() => request(target, options), body, withinMs).catch((error: unknown) => {
    const why = error instanceof Error ? reasonOf(error) : String(error);
    throw new GatewayError(`the gateway at ${url} cannot be reached: ${why}`, undefined, { cause: error });
  });
  if (status === STORED) return;
  const { detail, problems } = explain(text);
  if (REFUSED_FOR_GOOD.includes(status)) throw new WrongEventError(`${status} ${detail}`.trim(), problems);
  throw new GatewayError(`the gateway at ${url} answered ${status} ${detail}`.trim(), status);
}

function eventsUrl(url: string): URL {
  try {
    const base = new URL(url);
    if (base.protocol !== 'http:' && base.protocol !== 'https:') throw new Error('it is neither http nor https');
    base.pathname = `${base.pathname.replace(/\/+$/, '')}/v1/events`;
    return base;
  } catch (error) {
    throw new GatewayError(`${url} is not the address of a gateway`, undefined, { cause: error });
  }
}

/** One request and its answer, in so much time altogether. */
function exchange(
  begin: () => ClientRequest,
  body: string,
  withinMs: number,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    // May throw itself, for a token that is no header.
    const asked = begin();
    const late = () => asked.destroy(new Error(`no answer within ${Math.round(withinMs)} ms`));
    // On a busy machine the answer may have come while this process had no turn: it is looked at first.
    const timer = setTimeout(() => setImmediate(late), withinMs);
    asked.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    asked.on('response', (answer: IncomingMessage) => {
      const status = answer.statusCode ?? 0;
      let text = '';
      const done = () => {
        clearTimeout(timer);
        resolve({ status, text });
      };
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MAX_ANSWER_BYTES) answer.destroy();
      });
      // However it ends: what matters is the status, and that is known.
      answer.on('close', done);
      answer.on('error', done);
      if (status === STORED) done();
    });
    asked.end(body);
  });
}

/** An error of several addresses says what happened at each only in its parts. */
function reasonOf(error: Error): string {
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}

function explain(text: string): { detail: string; problems: Problem[] } {
  try {
    const { code, detail, problems } = JSON.parse(text) as { code?: string; detail?: string; problems?: Problem[] };
    const listed = Array.isArray(problems) ? problems : [];
    return {
      detail: [code, detail, ...listed.slice(0, 3).map(formatProblem)].filter(Boolean).join(': '),
      problems: listed,
    };
  } catch {
    return { detail: '', problems: [] };
  }
}

/** Why a gateway did not take events that it may well take later. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  constructor(
    message: string,
    /** Absent when there was no answer. */
    readonly status?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Nobody listens there, as opposed to somebody who is slow or says no. */
  get isAbsent(): boolean {
    const { code } = (this.cause ?? {}) as NodeJS.ErrnoException;
    return code !== undefined && ABSENT_CODES.includes(code);
  }

  /** The token or the tenant is the trouble, or has used up its share. Others may fare better. */
  get isOfTenant(): boolean {
    return this.status === 403 || this.status === 429;
  }
}

const ABSENT_CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ENETDOWN'];
