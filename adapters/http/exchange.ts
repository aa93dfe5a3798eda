import { type buildConnector, Client, type Dispatcher } from 'undici';
import type { Hop } from './hop.js';

const MAX_ANSWER_BYTES = 1024 * 1024;

export interface Exchange {
  connect: buildConnector.connector;
  signal: AbortSignal;
  onConnect(): void;
}

export interface Exchanged {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The answer is a redirect. Its body is not read. */
  location?: string;
}

/**
 * One request and its answer on a connection of its own. The time limit of the call is the only one. `onConnect`: the request
 * goes out now.
 */
export async function exchange(
  { url, method, headers, body }: Hop,
  { connect, signal, onConnect }: Exchange,
): Promise<Exchanged> {
  const client = new Client(url.origin, {
    connect,
    maxResponseSize: MAX_ANSWER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  client.once('connect', onConnect);
  try {
    const path = url.pathname + url.search;
    const answer = await client.request({ path, method, headers, body: body ?? null, signal, reset: true });
    const { location, ...read } = readHead(answer);
    if (location === undefined) return { ...read, text: await answer.body.text() };
    // The body ends early when the connection does.
    answer.body.on('error', () => undefined);
    return { ...read, text: '', location };
  } finally {
    await client.destroy();
  }
}

const REDIRECTS = [301, 302, 303, 307, 308];

function readHead({ statusCode, headers }: Dispatcher.ResponseData) {
  const present = Object.entries(headers).filter(([, value]) => value !== undefined);
  const texts = Object.fromEntries(present.map(([name, value]) => [name, [value].flat().join(', ')]));
  const location = REDIRECTS.includes(statusCode) ? texts['location'] : undefined;
  return { status: statusCode, headers: texts, ...(location !== undefined && { location }) };
}
