import { createHmac, randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';

/**
 * The address of the client: the socket's, or with `trustProxy` proxies in front the entry of
 * X-Forwarded-For that the outermost of them wrote.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | null | undefined,
  trustProxy: number,
): string {
  const own = socketAddress ?? 'unknown';
  if (trustProxy === 0 || !forwardedFor) return own;
  const hops = [...forwardedFor.split(',').map((hop) => hop.trim()), own];
  return hops[Math.max(0, hops.length - 1 - trustProxy)] ?? own;
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
  // An IPv4-mapped IPv6 address (::ffff:192.0.2.1) stays as it is.
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = (part: string | undefined) => (part ? part.split(':') : []);
  const zeros = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array<string>(zeros).fill('0'), ...groups(tail)]
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':');
}
