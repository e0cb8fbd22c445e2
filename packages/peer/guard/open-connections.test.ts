import { expect, test } from 'vitest';
import { hostOf } from '../addresses/address-group.ts';
import { LIMITS } from '../base/limits.ts';
import { OpenConnections } from './open-connections.ts';

class Connection extends EventTarget {
  status = 'open';
  readonly timeline = {};
  constructor(readonly remoteAddr: string) {
    super();
  }
  abort(): void {
    this.status = 'aborted';
    this.dispatchEvent(new Event('close'));
  }
}

/** Connections that have come in, and how to add one. */
function opening(limits: { perHost?: number; strangers?: number } = {}) {
  const open = new OpenConnections({ perHost: 8, strangers: 100, ...limits });
  return {
    enter(address: string, isKnown = false) {
      const connection = new Connection(`${address}/tcp/1`);
      const isIn = open.enter(connection);
      if (isKnown) open.acquaint(connection);
      return { isIn, connection };
    },
  };
}

const openOf = (guests: readonly { connection: Connection }[]) =>
  guests.filter(({ connection }) => connection.status === 'open');

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

test('where strangers hold all places one of them goes, at random, and every newcomer gets in', () => {
  const { enter } = opening({ strangers: 20 });
  const friends = [1, 2].map((host) => enter(`/ip4/192.0.2.${host}`, true));
  const silent = Array.from({ length: 20 }, (_, n) => enter(`/ip4/${n + 20}.0.0.1`));
  const newcomers = Array.from({ length: 10 }, (_, n) => enter(`/ip4/${n + 50}.0.0.1`, true));
  expect(newcomers.every(({ isIn }) => isIn)).toBe(true);
  expect(openOf(newcomers)).toHaveLength(10);
  expect(openOf(friends)).toHaveLength(2);
  // A newcomer who has said hello leaves a place: only the first one needed one.
  expect(openOf(silent)).toHaveLength(19);
});

test('a host has as many connections as it may: a silent one gives way to its neighbour, a session does not', () => {
  const { enter } = opening({ perHost: 3 });
  const session = enter('/ip6/2001:db8::1', true);
  const silent = [2, 3].map((word) => enter(`/ip6/2001:db8::${word}`));
  const neighbours = [4, 5].map((word) => enter(`/ip6/2001:db8::${word}`, true));
  expect(openOf([...silent, ...neighbours, session])).toEqual([...neighbours, session]);
  expect(enter('/ip6/2001:db8::6').isIn).toBe(false);
  // Others do not count.
  expect(enter('/ip6/2001:db8:0:1::1').isIn).toBe(true);
  session.connection.abort();
  expect(enter('/ip6/2001:db8::7').isIn).toBe(true);
});

test('the strangers of one network have the places of some hosts; those of a private one are not counted', () => {
  const { enter } = opening({ perHost: 2 });
  const most = 2 * LIMITS.hostsPerNetwork;
  const other = enter('/ip4/8.8.9.1');
  const neighbours = Array.from({ length: 2 * most }, (_, n) => enter(`/ip4/8.8.8.${n}`));
  expect(neighbours.every(({ isIn }) => isIn)).toBe(true);
  expect(openOf(neighbours)).toHaveLength(most);
  expect(openOf([other])).toHaveLength(1);
  const here = Array.from({ length: 2 * most }, (_, n) => enter(`/ip4/10.0.0.${n}`));
  expect(openOf(here)).toHaveLength(2 * most);
});

test('a connection that has ended already is not counted for ever', () => {
  const open = new OpenConnections({ perHost: 1, strangers: 100 });
  const ended = new Connection('/ip4/192.0.2.1/tcp/1');
  ended.abort();
  expect(open.enter(ended)).toBe(false);
  expect(open.enter(new Connection('/ip4/192.0.2.1/tcp/2'))).toBe(true);
});
