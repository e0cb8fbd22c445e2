import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { PEER_ID_PATTERN } from '@mesh-registry/protocol/keys/node-key.schema.ts';

/** Where a peer can be reached. */
export interface PeerAddress {
  kind: 'ip4' | 'ip6' | 'dns' | 'dns4' | 'dns6';
  host: string;
  port: number;
  /** The peer ID that the address ends with; null: it names none. */
  peer: string | null;
}

/** Characters of an address: enough for a peer id and a DNS name of some length. */
export const ADDRESS_LENGTH_MAX = 128;

const SHAPE = /^\/(ip4|ip6|dns|dns4|dns6)\/([^/]+)\/tcp\/([1-9]\d{0,4})(?:\/p2p\/([^/]+))?$/;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i;

/** Nobody listens at these addresses: 0.0.0.0/8, multicast and reserved networks. */
const UNUSABLE = new BlockList();
UNUSABLE.addSubnet('0.0.0.0', 8, 'ipv4');
UNUSABLE.addSubnet('224.0.0.0', 3, 'ipv4');
UNUSABLE.addAddress('::', 'ipv6');
UNUSABLE.addSubnet('ff00::', 8, 'ipv6');

/**
 * The multiaddrs that peers use: an IP address or a DNS name, a TCP port, and maybe a peer id. Relays, other transports
 * and sockets in the file system are not accepted.
 * @returns null if the text is no such address, or nobody can listen there
 */
export function parseAddress(text: string): PeerAddress | null {
  if (text.length > ADDRESS_LENGTH_MAX) return null;
  const [, kind, host = '', digits, peer = null] = SHAPE.exec(text) ?? [];
  const port = Number(digits);
  if (!isKind(kind) || port > 65_535 || !IS_HOST[kind](host)) return null;
  if (peer !== null && !PEER_ID_PATTERN.test(peer)) return null;
  return { kind, host, port, peer };
}

/** An IPv6 address in its shortest spelling, `2001:db8::1`. */
export const shortIPv6 = (host: string): string =>
  new URL(`http://[${host}]`).hostname.slice(1, -1);

function isName(host: string): boolean {
  const labels = host.split('.');
  // A name that ends with a number is read as an IP address.
  const isNumber = /^(\d+|0x[\da-f]*)$/i.test(labels.at(-1) ?? '');
  return !isNumber && labels.every((label) => LABEL.test(label));
}

const IS_HOST: Record<PeerAddress['kind'], (host: string) => boolean> = {
  ip4: (host) => isIPv4(host) && !UNUSABLE.check(host, 'ipv4'),
  // A zone means something on one machine only, and an IPv4 address written as IPv6 would be in another group.
  ip6: (host) =>
    isIPv6(host) &&
    !host.includes('%') &&
    !UNUSABLE.check(host, 'ipv6') &&
    !shortIPv6(host).startsWith('::ffff:'),
  dns: isName,
  dns4: isName,
  dns6: isName,
};

const isKind = (kind: string | undefined): kind is PeerAddress['kind'] =>
  kind !== undefined && Object.hasOwn(IS_HOST, kind);
