import { isIPv6 } from 'node:net';
import type { Config } from '#server/config.ts';

/** The end of a connection at our side. */
export interface OwnSocket {
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
}

/** A machine's names for itself. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Scheme, host and port under which this service is reached, as far as it knows that by itself: what signatures have to
 * name, so that one which was made for another service counts for nothing here. Whoever sends a request writes its Host, so
 * that tells nothing. PUBLIC_URL tells it; outside production without one, the address at which the connection came in. A
 * loopback address has three names.
 * @param host the Host of the request, which only selects one of these names
 * @returns null in production without PUBLIC_URL, and for a connection that has no address
 */
export function ownOrigin(
  { publicUrl, production }: Pick<Config, 'publicUrl' | 'production'>,
  { localAddress, localPort }: OwnSocket,
  host: string | null,
): string | null {
  if (publicUrl !== undefined) return new URL(publicUrl).origin;
  if (production || localAddress === undefined || localPort === undefined) return null;
  const address = localAddress.replace(/^::ffff:/, '');
  const own = isIPv6(address) ? `[${address}]` : address;
  const names = own === '[::1]' || own.startsWith('127.') ? [own, ...LOOPBACK] : [own];
  const origins = names.map((name) => new URL(`http://${name}:${localPort}`).origin);
  return origins.find((origin) => origin === `http://${host}`) ?? origins[0] ?? null;
}
