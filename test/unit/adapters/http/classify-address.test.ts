import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AddressClass, classifyAddress } from '#adapters/http/classify-address.js';

describe('classifyAddress', () => {
  it.each<[AddressClass, string[]]>([
    ['public', ['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255']],
    ['public', ['128.0.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0', '198.20.0.0']],
    ['public', ['2606:4700:4700::1111', '2a00:1450::1', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '64:ff9b::808:808']],
    ['private', ['127.0.0.1', '127.255.255.255', '10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255']],
    ['private', ['192.168.0.0', '192.168.255.255', '100.64.0.0', '100.127.255.255', '198.18.0.0', '198.19.255.255']],
    ['private', ['192.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1', '240.0.0.1', '192.88.99.1', '192.31.196.1']],
    ['private', ['::1', 'fc00::', 'fdff::1', 'fec0::1', '2001:db8::1', '3fff::1', '2001:2::1', '64:ff9b::10.0.0.1']],
    [
      'metadata',
      ['169.254.0.0', '169.254.169.254', '169.254.255.255', '168.63.129.16', '100.100.100.200', '192.0.0.192'],
    ],
    [
      'metadata',
      ['fe80::1', 'febf::1', 'fe80::1%eth0', 'fd00:ec2::254', 'fd00:ec2::23', 'fd00:42::42', 'fd20:ce::254'],
    ],
    ['metadata', ['::ffff:169.254.169.254', '64:ff9b::169.254.169.254']],
    ['never', ['0.0.0.0', '0.255.255.255', '224.0.0.1', '239.255.255.255', '255.255.255.255', '::', 'ff02::1']],
    ['never', ['::7f00:1', '::8.8.8.8', '::ffff:0:7f00:1', '64:ff9b:1::8.8.8.8', '2002:808:808::1', '2001::1']],
    ['never', ['2606:4700::5efe:808:808', '100::1', '4000::1', '5f00::1', '2001:10::1', '2001:20::1']],
    [
      'never',
      ['', 'localhost', '127.1', '0x7f.0.0.1', '0177.0.0.1', '2130706433', '[::1]', '127.0.0.1:80', '1.2.3.4 '],
    ],
  ])('%s: %s', (expected, addresses) => {
    expect(addresses.map((address) => [address, classifyAddress(address)])).toEqual(
      addresses.map((address) => [address, expected]),
    );
  });

  it('takes an IPv4 address in the clothes of IPv6 for what it is', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const expected = classifyAddress(address);

        expect(classifyAddress(`::ffff:${address}`)).toBe(expected);
        expect(classifyAddress(`0:0:0:0:0:FFFF:${inHexadecimal(address)}`)).toBe(expected);
        expect(classifyAddress(`64:ff9b::${address}`)).toBe(expected);
      }),
    );
  });

  it('judges every way to write an IPv6 address alike', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const written = new URL(`http://[${address}]`).hostname.slice(1, -1);

        expect(classifyAddress(address)).toBe(classifyAddress(written));
        expect(classifyAddress(address.toUpperCase())).toBe(classifyAddress(written));
      }),
    );
  });

  it('calls no IPv6 address public outside of what is given out', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffff }), fc.ipV4(), (first, end) => {
        const address = `${first.toString(16)}:1:2:3:4:5:${end}`;

        expect(classifyAddress(address) === 'public' && (first < 0x2000 || first > 0x3fff)).toBe(false);
      }),
    );
  });
});

function inHexadecimal(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
