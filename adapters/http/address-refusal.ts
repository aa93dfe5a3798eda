import { classifyAddress } from './classify-address.js';
import { canonicalHost } from './named-hosts.js';

const SETTING = 'outbound.privateHosts of mesh.yaml';

/** Why no connection is made to an address, in words for the author of the configuration; nothing when one may be made. */
export function refusalOf(address: string, host: string, named: ReadonlySet<string>): string | undefined {
  const isHostNamed = isNamed(host, named);
  const shown = address === host ? `the address ${address}` : `the address ${address} of ${host}`;
  switch (classifyAddress(address)) {
    case 'public':
      return undefined;
    case 'private':
      if (isHostNamed) return undefined;
      return `${shown} is private: name the host in ${SETTING} if it is meant`;
    case 'metadata':
      // A name server that answers for a private name must not point it at the credentials of this machine.
      if (isHostNamed && isNamed(address, named)) return undefined;
      return `${shown} can hand out credentials of this machine: name the address itself in ${SETTING} if it is meant`;
    case 'never':
      return `${shown} is not one that a service can have`;
  }
}

function isNamed(host: string, named: ReadonlySet<string>): boolean {
  return named.has(canonicalHost(host) ?? '');
}
