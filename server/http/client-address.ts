import { createHmac, randomBytes } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';

/**
 * The address of the client: the socket's, or with `trustProxy` proxies in front the entry of
 * X-Forwarded-For that the outermost of them wrote. An entry that is no address ("unknown") counts as the
 * next one towards us: the proxy that wrote it.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | null | undefined,
  trustProxy: number,
): string {
  const own = socketAddress ?? 'unknown';
  if (trustProxy === 0 || !forwardedFor) return own;
  const hops = forwardedFor.split(',');
  for (const hop of hops.slice(Math.max(0, hops.length - trustProxy))) {
    const address = addressOf(hop);
    if (address !== null) return address;
  }
  return own;
}

/** Some proxies write `203.0.113.7:1234`, `[2001:db8::1]:443` or `[2001:db8::1]`; the port is a new one each time. */
function addressOf(hop: string): string | null {
  const text = hop.trim();
  const address =
    /^\[([^\]]*)\](?::\d*)?$/.exec(text)?.[1] ?? /^([\d.]+):\d*$/.exec(text)?.[1] ?? text;
  return isIP(address) === 0 ? null : address;
}

/**
 * The keyed hash that distinguishes clients for rate limits. The key lives only as long as the process, so
 * no address is stored anywhere or can be recovered.
 */
export function createClientHash(): (address: string) => string {
  const key = randomBytes(32);
  return (address) =>
    createHmac('sha256', key).update(networkOf(address)).digest('base64url').slice(0, 22);
}

/** An IPv6 client usually has a whole /64 network, which counts as one client. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address.split('%')[0] ?? '');
  // An IPv4-mapped address (::ffff:192.0.2.1, ::ffff:c000:201) is the IPv4 client.
  const mapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (mapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.');
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

/** The eight groups of an IPv6 address without a zone. */
function groupsOf(address: string): number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)]
      .map((group) => group.toString(16))
      .join(':'),
  );
  const [head = '', tail] = hex.split('::');
  const groups = (part: string | undefined) =>
    part ? part.split(':').map((group) => parseInt(group, 16)) : [];
  const zeros = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array<number>(zeros).fill(0), ...groups(tail)];
}
