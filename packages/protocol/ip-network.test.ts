import fc from 'fast-check';
import { expect, test } from 'vitest';
import { networkOf } from './ip-network.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['2001:0DB8:1:2:aaaa::1', '2001:db8:1:2'],
  ['2001:db8::9%eth0.100', '2001:db8:0:0'],
  ['::', '0:0:0:0'],
  ['::1', '0:0:0:0'],
  // Neither is mapped: of addresses that only contain an IPv4 address, the network counts.
  ['::192.0.2.1', '0:0:0:0'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
  ['2002:c000:201::1', '2002:c000:201:0'],
  ['fd00:0:0:7::1', 'fd00:0:0:7'],
  ['unknown', 'unknown'],
])('%s is of %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('every spelling of an IPv6 address is of the same network', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
      expect(networkOf(address.toUpperCase())).toBe(networkOf(shortest));
    }),
  );
});
