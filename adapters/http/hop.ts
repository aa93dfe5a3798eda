import type { OutboundRequest } from './outbound.js';
import { Refused } from './refused.js';
import type { SecretRemover } from './remove-secrets.js';

/** One request to one origin. */
export interface Hop {
  url: URL;
  method: OutboundRequest['method'];
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface Redirect {
  status: number;
  location: string;
  redirectsLeft: number;
  remover: SecretRemover;
}

export function firstHop({ url, method, headers = {}, body }: OutboundRequest): Hop {
  // This header would also decide for which name the certificate of the other side must be.
  const host = Object.keys(headers).find((name) => name.toLowerCase() === 'host');
  if (host !== undefined) throw new Refused('the header host is taken from the address and cannot be set');
  return { url: readUrl(url, undefined), method, headers, body };
}

/** Where a redirect leads, if it may be followed. The address itself is checked when connecting. */
export function nextHop(hop: Hop, { status, location, redirectsLeft, remover }: Redirect): Hop {
  const url = readRedirect(location, hop.url);
  const target = `redirected to ${url.origin}`;
  if (redirectsLeft <= 0) throw new Refused(`${target}: no further redirect is followed (${SETTING})`);
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new Refused(`${target}: what went out encrypted does not go on in clear`);
  }
  // Other codes turn the request into a GET. The answer to a GET would then pass for the answer to the POST.
  if (hop.method !== 'GET' && status !== 307 && status !== 308) {
    throw new Refused(`${target} with ${status}: a ${hop.method} goes on with 307 and 308 only`);
  }
  const next: Hop = { ...hop, url };
  if (url.origin === hop.url.origin) return next;
  if (next.body !== undefined && remover.text(next.body) !== next.body) {
    throw new Refused(`${target}: the body holds a secret that is not meant for it`);
  }
  // This is a list of the headers that may go along, since nobody knows in which header another service takes its token.
  const isForEveryone = (name: string, value: string) => FOR_EVERYONE.has(name) && remover.text(value) === value;
  return { ...next, headers: without(next.headers, (name, value) => !isForEveryone(name, value)) };
}

const SETTING = 'outbound.maxRedirects of mesh.yaml';
const FOR_EVERYONE = new Set(['accept', 'content-type', 'idempotency-key', 'user-agent']);

function without(headers: Hop['headers'], isUnwanted: (lowerName: string, value: string) => boolean): Hop['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => !isUnwanted(name.toLowerCase(), value)));
}

function readRedirect(location: string, base: URL): URL {
  try {
    return readUrl(location, base);
  } catch (error) {
    if (error instanceof Refused) throw new Refused(`redirected, but ${error.message}`);
    throw error;
  }
}

/** The text does not quote the address: addresses can be secrets. */
function readUrl(written: string, base: URL | undefined): URL {
  if (!URL.canParse(written, base?.href)) throw new Refused('the address is not a URL');
  const url = new URL(written, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Refused(`only http and https addresses are called, not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Refused('the address holds a user name or a password, which belong into a header');
  }
  return url;
}
