import { lookup, Resolver } from 'node:dns';
import type { LookupFunction } from 'node:net';

const ANSWER_WITHIN_MS = 250;

/**
 * Finds the address of a host. The system's own lookup cannot be broken off: with a name server that does not answer, it
 * would keep this process, and the agent that waits for it, for many seconds. So it is asked only once one has answered.
 */
export const quickLookup: LookupFunction = (host, options, callback) => {
  if (host === 'localhost') return lookup(host, options, callback);
  new Resolver({ timeout: ANSWER_WITHIN_MS, tries: 1 }).resolve4(host, (error) => {
    // Any answer will do, a "no such name" too: the name may stand in the hosts file.
    if (error?.code === 'ETIMEOUT') callback(error, '');
    else lookup(host, options, callback);
  });
};
