import { BlockList } from 'node:net';
import { multiaddr } from '@multiformats/multiaddr';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressGroup, isLoopbackAddress, isPublicAddress } from './address-group.ts';
import { parseAddress } from './peer-address.ts';

const PEER = '12D3KooWHnrNc5zXqVfSAqYvtgKb36eYpcBHwJhyp1MNTG5dbbkf';

describe('an address', () => {
  test.each([
    '/ip4/192.0.2.1/tcp/9900',
    '/ip6/2001:db8::1/tcp/1',
    '/ip6/2001:DB8:0:0:0::1/tcp/65535',
    '/dns/node.example.org/tcp/9900',
    '/dns4/genesis/tcp/9900',
    `/dns6/xn--bcher-kva.example/tcp/9900/p2p/${PEER}`,
  ])('is taken, and libp2p can dial it: %s', (text) => {
    expect(parseAddress(text)).not.toBeNull();
    expect(multiaddr(text).getComponents().length).toBeGreaterThanOrEqual(2);
  });

  test.each([
    '',
    '/ip4/192.0.2.1',
    '/ip4/192.0.2.1/udp/9900',
    '/ip4/192.0.2.1/tcp/0',
    '/ip4/192.0.2.1/tcp/65536',
    '/ip4/192.0.2.1/tcp/09900',
    '/ip4/192.0.2.1/tcp/9900/ws',
    '/ip4/192.0.2.1/tcp/9900/tls/ws',
    `/ip4/192.0.2.1/tcp/9900/p2p/${PEER}/p2p-circuit`,
    `/ip4/192.0.2.1/tcp/9900/p2p/${PEER.slice(1)}`,
    '/ip4/192.0.2.1/tcp/9900/',
    '/ip4/192.0.2.256/tcp/9900',
    '/ip4/0.0.0.0/tcp/9900',
    '/ip4/224.0.0.1/tcp/9900',
    '/ip4/255.255.255.255/tcp/9900',
    '/ip4/node.example.org/tcp/9900',
    '/ip6/::/tcp/9900',
    '/ip6/ff02::1/tcp/9900',
    '/ip6/fe80::1%eth0/tcp/9900',
    '/ip6/::ffff:192.0.2.1/tcp/9900',
    '/dns4/192.0.2.1/tcp/9900',
    '/dns4/0x7f000001/tcp/9900',
    '/dns4/-a.example/tcp/9900',
    '/dns4/a..example/tcp/9900',
    '/dns4/ä.example/tcp/9900',
    '/dnsaddr/example.org/tcp/9900',
    '/unix/run/docker.sock',
    `/dns4/${'a.'.repeat(60)}example/tcp/9900`,
  ])('is none: %s', (text) => {
    expect(parseAddress(text)).toBeNull();
  });

  test('that is taken never surprises libp2p', () => {
    const part = fc.constantFrom(
      'ip4',
      'ip6',
      'dns4',
      'tcp',
      '1.2.3.4',
      '::1',
      'a.b',
      '9900',
      PEER,
      '',
    );
    const texts = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.array(part, { maxLength: 8 }).map((parts) => `/${parts.join('/')}`),
      fc.ipV4().map((ip) => `/ip4/${ip}/tcp/1`),
      fc.ipV6().map((ip) => `/ip6/${ip}/tcp/1`),
      fc.domain().map((name) => `/dns/${name}/tcp/1`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        if (parseAddress(text)) expect(() => multiaddr(text)).not.toThrow();
        expect(addressGroup(text)).not.toBe('');
      }),
      { numRuns: 500 },
    );
  });
});

test('which addresses are of this machine, private, or nobody’s, is as Node’s own list of them has it', () => {
  const listOf = (...networks: [string, number][]) => {
    const list = new BlockList();
    for (const [network, bits] of networks)
      list.addSubnet(network, bits, network.includes(':') ? 'ipv6' : 'ipv4');
    return list;
  };
  const unusable = listOf(['0.0.0.0', 8], ['224.0.0.0', 3], ['::', 128], ['ff00::', 8]);
  const loopback = listOf(['127.0.0.0', 8], ['::1', 128]);
  const near = listOf(
    ['10.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
    ['169.254.0.0', 16],
    ['100.64.0.0', 10],
    ['fc00::', 7],
    ['fe80::', 10],
  );
  const word = fc.constantFrom(
    '0',
    '1',
    'fbff',
    'fc00',
    'fdff',
    'fe7f',
    'fe80',
    'febf',
    'fec0',
    'ff00',
  );
  const byte = fc.constantFrom(
    0,
    1,
    9,
    10,
    11,
    15,
    16,
    31,
    32,
    63,
    64,
    100,
    127,
    128,
    168,
    169,
    172,
    192,
    223,
    224,
    254,
    255,
  );
  const addresses = fc.oneof(
    fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join('.')),
    fc.tuple(word, word).map(([first, last]) => `${first}:0:0:0:0:0:0:${last}`),
    fc.tuple(word, word).map(([first, last]) => `${first}::${last}`),
  );
  fc.assert(
    fc.property(addresses, (host) => {
      const kind = host.includes(':') ? 'ip6' : 'ip4';
      const family = kind === 'ip6' ? 'ipv6' : 'ipv4';
      const address = `/${kind}/${host}/tcp/1`;
      const isMapped =
        kind === 'ip6' && new URL(`http://[${host}]`).hostname.startsWith('[::ffff:');
      expect(parseAddress(address) === null).toBe(unusable.check(host, family) || isMapped);
      if (parseAddress(address) === null) return;
      expect(isLoopbackAddress(address)).toBe(loopback.check(host, family));
      const isOurs = loopback.check(host, family) || near.check(host, family);
      expect(isPublicAddress(address)).toBe(!isOurs);
    }),
    { numRuns: 500 },
  );
});

describe('the group of an address', () => {
  test.each([
    ['/ip4/203.0.113.9/tcp/1', '203.0.0.0/16'],
    [`/ip4/203.0.250.1/tcp/50123/p2p/${PEER}`, '203.0.0.0/16'],
    ['/ip6/2001:db8:1::1/tcp/1', '2001:db8::/32'],
    ['/ip6/2001:0DB8:0002:0::1/tcp/1', '2001:db8::/32'],
    ['/ip6/2600::1/tcp/1', '2600:0::/32'],
    ['/dns4/a.b.Example.ORG/tcp/1', 'example.org'],
    ['/dns/example.org/tcp/2', 'example.org'],
    ['/ip4/192.168.1.7/tcp/1', '192.168.1.7'],
    ['/ip4/10.255.1.7/tcp/1', '10.255.1.7'],
    ['/ip4/172.31.1.7/tcp/1', '172.31.1.7'],
    ['/ip4/172.32.1.7/tcp/1', '172.32.0.0/16'],
    ['/ip4/169.254.1.7/tcp/1', '169.254.1.7'],
    ['/ip4/100.100.1.7/tcp/1', '100.100.1.7'],
    ['/ip6/fd00:0::1/tcp/1', 'fd00::1'],
    ['/dns4/genesis/tcp/9900', 'genesis'],
    ['/dns4/nas.local/tcp/9900', 'nas.local'],
    ['/ip4/127.0.0.1/tcp/9900', '127.0.0.1:9900'],
    ['/dns4/localhost/tcp/9901', 'localhost:9901'],
    ['/ip6/::1/tcp/9900', '::1:9900'],
    ['/memory/1', 'unknown'],
  ])('%s: %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
    expect(isPublicAddress(address)).toBe(/\/(16|32)$|example.org/.test(group));
  });
});
