import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address in the form to which Node would connect; nothing for a text that Node would take for a name, such as 127.1. */
export function readAddress(written: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  switch (isIP(written)) {
    case 4:
      return ipaddr.process(written);
    case 6:
      // An IPv4 address in IPv6 clothes (::ffff:127.0.0.1) comes out as what it is.
      return ipaddr.process(inHexadecimal(written));
    default:
      return undefined;
  }
}

/** The library takes ::127.0.0.1 for ::ffff:127.0.0.1, which is another address. */
function inHexadecimal(written: string): string {
  const [address] = written.split('%');
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
