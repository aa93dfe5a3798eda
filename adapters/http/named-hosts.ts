import { readAddress } from './read-address.js';

/** Hosts that the configuration names, each in the one form in which hosts are compared. */
export function namedHosts(written: readonly string[]): ReadonlySet<string> {
  return new Set(written.flatMap((host) => canonicalHost(host) ?? []));
}

/** The same for every way to write a host: case, brackets, a dot at the end, digits of other scripts. */
export function canonicalHost(written: string): string | undefined {
  const address = readAddress(written.replace(/^\[(.*)\]$/, '$1'));
  if (address !== undefined) return address.toString();
  // A URL would take the rest for a port, a path or a user name, and 10.0.0.0/8 for one address.
  if (/[\s:/\\?#@[\]]/.test(written) || !URL.canParse(`http://${written}`)) return undefined;
  const host = new URL(`http://${written}`).hostname.replace(/\.$/, '');
  return host === '' ? undefined : host;
}
