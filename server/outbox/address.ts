import { isIP } from 'node:net';
import { containsIpAddress } from '@mesh-registry/protocol/rest/ip-address.schema.ts';
import { ADDRESS_MAX } from '@mesh-registry/protocol/values.schema.ts';

/** Below this only 443: no other service of a machine is for us. */
const UNPRIVILEGED_PORT = 1024;

/**
 * Why an address cannot be used; null if it can. Whether its host is a public one is found out when it is connected to.
 * The text never repeats the address.
 * @param allowLoopback tests have a receiver on this machine, without TLS
 */
export function whyRefusedAddress(address: string, allowLoopback: boolean): string | null {
  if (address.length > ADDRESS_MAX) return `must be at most ${ADDRESS_MAX} characters`;
  if (!URL.canParse(address)) return 'must be a URL such as https://ntfy.sh/my-secret-topic';
  const { protocol, hostname, port, username, password, hash, pathname } = new URL(address);
  if (allowLoopback && ['localhost', '127.0.0.1'].includes(hostname)) return null;
  if (protocol !== 'https:') return 'must begin with https://';
  if (username !== '' || password !== '') return 'must not include a user or password';
  if (hash !== '') return 'must not include a #';
  if (port !== '' && Number(port) < UNPRIVILEGED_PORT)
    return `must use port 443, or one from ${UNPRIVILEGED_PORT}`;
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 || containsIpAddress(host))
    return 'must name a host, not an IP address: IP addresses are never stored';
  if (pathname === '/') return 'must include a path: an ntfy topic, or the path of a webhook';
  return null;
}

/** What is shown of an address: its host, never the path, which is often a secret. */
export const hostOf = (address: string): string => new URL(address).host;
