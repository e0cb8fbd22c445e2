import { expect, test } from 'vitest';
import { ConnectionsPerHost, hostOf } from './connections-per-host.ts';

class Connection extends EventTarget {
  status = 'open';
  constructor(readonly remoteAddr: string) {
    super();
  }
  close(): void {
    this.status = 'closed';
    this.dispatchEvent(new Event('close'));
  }
}

const at = (address: string) => new Connection(address);

test('a host is an IPv4 address, or the /64 of an IPv6 address, however it is written', () => {
  for (const [address, host] of [
    ['/ip4/192.0.2.1/tcp/1', '192.0.2.1'],
    ['/ip4/192.0.2.1/tcp/2/p2p/12D3Koo', '192.0.2.1'],
    ['/ip6/::ffff:192.0.2.1/tcp/1', '192.0.2.1'],
    ['/ip6/::ffff:c000:201/tcp/1', '192.0.2.1'],
    ['/ip6/2001:db8:1:2:3:4:5:6/tcp/1', '2001:db8:1:2'],
    ['/ip6/2001:db8:1:2::ffff/tcp/1', '2001:db8:1:2'],
    ['/ip6/2001:db8::1/tcp/1', '2001:db8:0:0'],
    ['/ip6/2001:db8::1:2:3:4:5/tcp/1', '2001:db8:0:1'],
    ['/ip6/::1/tcp/1', '0:0:0:0'],
    ['/ip6zone/eth0/ip6/fe80::1/tcp/1', 'fe80:0:0:0'],
  ] as const)
    expect(hostOf(address), address).toBe(host);
});

test('a host has as many connections open as it may, and others do not count', () => {
  const hosts = new ConnectionsPerHost(2, 100);
  const [one, ...others] = [1, 2, 3].map((word) => at(`/ip6/2001:db8::${word}/tcp/1`));
  expect([one!, ...others].map((connection) => hosts.enter(connection))).toEqual([
    true,
    true,
    false,
  ]);
  expect(hosts.enter(at('/ip6/2001:db8:0:1::1/tcp/1'))).toBe(true);
  one!.close();
  expect(hosts.enter(others[1]!)).toBe(true);
});

test('a connection that has ended already is not counted for ever', () => {
  const hosts = new ConnectionsPerHost(1, 100);
  const ended = at('/ip4/192.0.2.1/tcp/1');
  ended.close();
  expect(hosts.enter(ended)).toBe(false);
  expect(hosts.enter(at('/ip4/192.0.2.1/tcp/2'))).toBe(true);
});

test('a host begins so many connections a second, whatever its IPv6 addresses', () => {
  const hosts = new ConnectionsPerHost(100, 2);
  const begin = (address: string) => hosts.begin(at(address));
  expect([1, 2, 3].map((word) => begin(`/ip6/2001:db8::${word}/tcp/1`))).toEqual([
    true,
    true,
    false,
  ]);
  expect(begin('/ip4/192.0.2.1/tcp/1')).toBe(true);
});
