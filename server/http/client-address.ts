import { createHmac, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { networkOf } from '@mesh-registry/protocol/ip-network.ts';

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
