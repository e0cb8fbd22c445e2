import { isIPv4, isIPv6 } from 'node:net';
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

/** An IPv4 address as a number. Node's BlockList would take longer for the addresses of a record than its signature. */
export const ipv4Number = (host: string): number =>
  host.split('.').reduce((number, part) => number * 256 + Number(part), 0);

/** The first 16 bits of an IPv6 address. */
export const ipv6Start = (host: string): number => parseInt(host.split(':', 1)[0] || '0', 16);

/** An IPv6 address in its shortest spelling, `2001:db8::1`. */
export const shortIPv6 = (host: string): string =>
  new URL(`http://[${host}]`).hostname.slice(1, -1);

/** Nobody listens there: 0.0.0.0/8, multicast and reserved networks. */
function isUsableIPv4(host: string): boolean {
  const first = Math.floor(ipv4Number(host) / 2 ** 24);
  return first > 0 && first < 224;
}

/** The same of IPv6. An IPv4 address written as IPv6 would be in another group. */
function isUsableIPv6(host: string): boolean {
  const short = shortIPv6(host);
  return short !== '::' && !short.startsWith('::ffff:') && ipv6Start(host) < 0xff00;
}

function isName(host: string): boolean {
  const labels = host.split('.');
  // A name that ends with a number is read as an IP address.
  const isNumber = /^(\d+|0x[\da-f]*)$/i.test(labels.at(-1) ?? '');
  return !isNumber && labels.every((label) => LABEL.test(label));
}

const IS_HOST: Record<PeerAddress['kind'], (host: string) => boolean> = {
  ip4: (host) => isIPv4(host) && isUsableIPv4(host),
  // A zone means something on one machine only.
  ip6: (host) => isIPv6(host) && !host.includes('%') && isUsableIPv6(host),
  dns: isName,
  dns4: isName,
  dns6: isName,
};

const isKind = (kind: string | undefined): kind is PeerAddress['kind'] =>
  kind !== undefined && Object.hasOwn(IS_HOST, kind);
