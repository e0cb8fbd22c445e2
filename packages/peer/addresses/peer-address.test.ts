import { multiaddr } from '@multiformats/multiaddr';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressGroup, isPublicAddress } from './address-group.ts';
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
