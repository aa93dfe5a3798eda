import { X509Certificate } from 'node:crypto';
import { lookup as lookupOfSystem } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import * as tls from 'node:tls';
import { buildConnector } from 'undici';
import { refusalOf } from './address-refusal.js';
import { namedHosts } from './named-hosts.js';
import { Refused } from './refused.js';

/** All addresses of a name. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export interface ConnectorOptions {
  privateHosts: readonly string[];
  lookup: Lookup;
  ca: string | undefined;
  signal: AbortSignal;
}

/**
 * Connects only to addresses that were checked. A name is looked up once, and what is found is what Node connects to, so
 * that a name with two faces has no second moment to show the other one. TLS still asks for the name in the URL.
 */
export function checkedConnector({ privateHosts, lookup, ca, signal }: ConnectorOptions): buildConnector.connector {
  const named = namedHosts(privateHosts);
  const connect = buildConnector({
    lookup: checkedLookup(lookup, named),
    // Of several addresses of a name, the first that answers is used.
    autoSelectFamily: true,
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca: [...trusted(), checkedCa(ca)] }),
    timeout: 0,
    signal,
  });
  return (options, callback) => {
    // Node does not call the lookup for an address in the URL.
    const refusal = isIP(options.hostname) === 0 ? undefined : refusalOf(options.hostname, options.hostname, named);
    if (refusal === undefined) connect(options, callback);
    else callback(new Refused(refusal), null);
  };
}

export const systemLookup: Lookup = async (host) => {
  const found = await lookupOfSystem(host, { all: true });
  return found.map(({ address }) => address);
};

/** One refused address is enough: a name that mixes both wants the client to come to the wrong one by itself. */
function checkedLookup(lookup: Lookup, named: ReadonlySet<string>): LookupFunction {
  const check = async (host: string) => {
    const addresses = await lookup(host);
    if (addresses.length === 0) throw new Error(`${host} has no address`);
    for (const address of addresses) {
      const refusal = refusalOf(address, host, named);
      if (refusal !== undefined) throw new Refused(refusal);
    }
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
  return (host, _options, callback) => {
    check(host).then(
      (addresses) => callback(null, addresses),
      (error: Error) => callback(error, []),
    );
  };
}

/** Node ignores text that is no certificate. Its author would then look for the fault on the other side. */
function checkedCa(ca: string): string {
  try {
    new X509Certificate(ca);
  } catch (cause) {
    throw new Refused('the certificate given to be trusted is not one in PEM format', { cause });
  }
  return ca;
}

/**
 * Certificates given to Node replace those it trusts by itself. Before version 22 it does not tell which of them come from
 * NODE_EXTRA_CA_CERTS.
 */
function trusted(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'default') => string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
}
