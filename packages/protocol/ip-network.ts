import { isIPv6 } from 'node:net';

/**
 * What counts as one client, in one spelling: an IPv4 address, also if it is mapped to IPv6, or the /64 network that an
 * IPv6 client usually has for itself. What is no address stays as it is.
 */
export function networkOf(address: string): string {
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
