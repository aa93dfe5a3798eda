import ipaddr from 'ipaddr.js';
import { readAddress } from './read-address.js';

/**
 * `public`: anybody's, called without asking. `private`: of this machine or this network. `metadata`: where clouds hand out
 * credentials. `never`: not the address of one service, or another address in disguise.
 */
export type AddressClass = 'public' | 'private' | 'metadata' | 'never';

export function classifyAddress(written: string): AddressClass {
  const address = readAddress(written);
  if (address === undefined) return 'never';
  if (METADATA.has(address.toString())) return 'metadata';
  return address instanceof ipaddr.IPv4 ? classifyV4(address) : classifyV6(address);
}

/** Most clouds keep their metadata here, beside the link-local addresses, which all count as metadata. */
const METADATA = new Set([
  '100.100.100.200', // Alibaba Cloud
  '168.63.129.16', // Azure, although in a public range
  '192.0.0.192', // Oracle Cloud
  'fd00:ec2::254', // AWS
  'fd00:ec2::23', // AWS, pods
  'fd00:42::42', // Scaleway
  'fd20:ce::254', // Google Cloud
]);

function classifyV4(address: ipaddr.IPv4): AddressClass {
  const range = address.range();
  if (range === 'unicast') return 'public';
  if (range === 'linkLocal') return 'metadata';
  return range === 'unspecified' || range === 'multicast' || range === 'broadcast' ? 'never' : 'private';
}

const PRIVATE_V6 = ['loopback', 'uniqueLocal', 'deprecatedSiteLocal', 'benchmarking', 'reserved'];

/** Where a network translates to IPv4 under a prefix of its own, that cannot be told from any other IPv6 address. */
function classifyV6(address: ipaddr.IPv6): AddressClass {
  // In a network without IPv4, every IPv4 service has such an address.
  if (address.match(NAT64, 96)) return classifyV4Inside(address);
  if (isIsatap(address)) return 'never';
  const range: string = address.range();
  if (range === 'linkLocal') return 'metadata';
  if (PRIVATE_V6.includes(range)) return 'private';
  // What is left outside of this block is reserved, or IPv4 in one of the old disguises such as ::127.0.0.1.
  return range === 'unicast' && address.match(GLOBAL_UNICAST, 3) ? 'public' : 'never';
}

const NAT64 = ipaddr.IPv6.parse('64:ff9b::');
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');

function classifyV4Inside(address: ipaddr.IPv6): AddressClass {
  return classifyAddress(address.toByteArray().slice(-4).join('.'));
}

/** An IPv4 address in the last four bytes, behind 0000:5efe or 0200:5efe (RFC 5214). */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;
}
