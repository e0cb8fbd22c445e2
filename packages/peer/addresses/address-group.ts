import { networkOf } from '@mesh-registry/protocol/ip-network.ts';
import {
  ipv4Number,
  ipv6Start,
  parseAddress,
  shortIPv6,
  type PeerAddress,
} from './peer-address.ts';

/**
 * Network groups: an operator easily has many addresses in one, but hardly addresses in many. A peer dials one address of
 * each group, so whoever wants all of its connections needs many networks, not just many keys: an eclipse gets expensive.
 */

/** Private networks of IPv4: their addresses as numbers, and how many bits these have in common. */
const PRIVATE = (
  [
    ['10.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
    ['169.254.0.0', 16],
    // Shared address space (RFC 6598), which providers and overlay networks use.
    ['100.64.0.0', 10],
  ] as const
).map(([network, bits]) => ({ network: ipv4Number(network), own: 32 - bits }));

/** Names that only a private network resolves. */
const LOCAL_NAME = /^[^.]+$|\.(local|localhost|internal|home\.arpa|lan)$/i;

type Reach = 'loopback' | 'private' | 'public';

function reachOf({ kind, host }: PeerAddress): Reach {
  if (kind === 'ip4') return reachOfIPv4(ipv4Number(host));
  if (kind === 'ip6') return reachOfIPv6(host);
  if (/(^|\.)localhost$/i.test(host)) return 'loopback';
  return LOCAL_NAME.test(host) ? 'private' : 'public';
}

function reachOfIPv4(address: number): Reach {
  if (address >>> 24 === 127) return 'loopback';
  const isPrivate = PRIVATE.some(({ network, own }) => address >>> own === network >>> own);
  return isPrivate ? 'private' : 'public';
}

/** Private are fc00::/7 and fe80::/10. */
function reachOfIPv6(host: string): Reach {
  const start = ipv6Start(host);
  if (start === 0 && shortIPv6(host) === '::1') return 'loopback';
  return (start & 0xfe00) === 0xfc00 || (start & 0xffc0) === 0xfe80 ? 'private' : 'public';
}

function hasReach(address: string, reach: Reach): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && reachOf(parsed) === reach;
}

/** Whether everybody can reach an address: not one of this machine, or of a private network. */
export const isPublicAddress = (address: string): boolean => hasReach(address, 'public');

/** Whether an address is one that only this machine reaches. */
export const isLoopbackAddress = (address: string): boolean => hasReach(address, 'loopback');

/** Whose connections are counted together: an IPv4 address, or the /64 of IPv6, which one host has for itself. */
export const hostOf = (address: string): string =>
  networkOf(/\/(?:ip[46]|dns[46]?)\/([^/]+)/.exec(address)?.[1] ?? '');

/** The network that a host shares with its neighbours: /24 of IPv4, /48 of IPv6. @param address a multiaddr */
export function networkOfHost(address: string): string {
  const parsed = parseAddress(address);
  if (!parsed) return 'unknown';
  const { kind, host } = parsed;
  return kind === 'ip6'
    ? `${networkOf(host).split(':').slice(0, 3).join(':')}::/48`
    : `${host.split('.').slice(0, 3).join('.')}.0/24`;
}

/**
 * The group of an address: /16 of IPv4, /32 of IPv6, the last two labels of a DNS name. A private address is a group of
 * its own for each host, an address of this machine for each port: whoever uses those is on a network of their own.
 * @param address a multiaddr; the remote address of a connection has the same form
 */
export function addressGroup(address: string): string {
  const parsed = parseAddress(address);
  return parsed ? groupOf(parsed, reachOf(parsed)) : 'unknown';
}

/** The groups of those of some addresses that everybody can reach, or of all. */
export function addressGroups(addresses: readonly string[], privateAddresses: boolean): string[] {
  const groups = addresses.flatMap((address) => {
    const parsed = parseAddress(address);
    if (!parsed) return [];
    const reach = reachOf(parsed);
    return privateAddresses || reach === 'public' ? groupOf(parsed, reach) : [];
  });
  return [...new Set(groups)];
}

function groupOf({ kind, host: spelled, port }: PeerAddress, reach: Reach): string {
  const host = kind === 'ip6' ? shortIPv6(spelled) : spelled.toLowerCase();
  if (reach === 'loopback') return `${host}:${port}`;
  if (reach === 'private') return host;
  if (kind === 'ip4') return `${host.split('.').slice(0, 2).join('.')}.0.0/16`;
  if (kind === 'ip6') {
    // Before `::` there may be only one word, or none; the missing ones are zero.
    const [first, second = '0'] = host.split('::')[0]?.split(':') ?? [];
    return `${first || '0'}:${second}::/32`;
  }
  return host.split('.').slice(-2).join('.');
}
