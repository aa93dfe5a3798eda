import { listOf, strict, text, wholeNumber } from '#contract/text/schema-words.js';

const HOST = 'a host name or an address without a port';

/** Where requests of the mesh may go beyond the public internet. */
export const Outbound = strict({
  /** Hosts that may have private addresses, as they stand in the addresses of this file. */
  privateHosts: listOf(
    text(HOST).regex(/^([a-z\d.-]+|\[[\da-f:.]+\]|[\da-f:]+)$/i, { error: HOST }),
    'a list of host names',
  ).default([]),
  /** How often a request may be sent on to another address. Each one is checked like the first. */
  maxRedirects: wholeNumber(0, 5).default(0),
});
