import { LIMITS } from '../base/limits.ts';
import { parseAddress } from './peer-address.ts';

/** The IP addresses of a name. */
export type Lookup = (
  name: string,
  options: { all: true; family: 0 | 4 | 6; order: 'verbatim' },
) => Promise<readonly { address: string }[]>;

const FAMILIES = { dns: 0, dns4: 4, dns6: 6 } as const;

/** How many names of one peer are looked up: its record may have more, all in one network group. */
const NAMES_MAX = 4;
/** How many addresses of a name are dialled. */
const PER_NAME_MAX = 4;

/**
 * Replaces each address that has a name by addresses with the IP addresses of the name: only these tell in which network
 * a peer is. Port and peer id stay. A name that cannot be resolved within `LIMITS.helloMessageMs` has none.
 * @param addresses multiaddrs; those that are none are left out
 */
export async function resolveAddresses(
  addresses: readonly string[],
  lookup: Lookup,
): Promise<string[]> {
  let names = 0;
  const resolved = await Promise.all(
    addresses.map(async (address) => {
      const [where = '', id] = address.split('/p2p/');
      const parsed = parseAddress(where);
      if (!parsed) return [];
      const { kind, host, port } = parsed;
      if (kind === 'ip4' || kind === 'ip6') return [address];
      if (++names > NAMES_MAX) return [];
      const found = await inTime(
        lookup(host, { all: true, family: FAMILIES[kind], order: 'verbatim' }),
      );
      return found
        .map((ip) => `/${ip.address.includes(':') ? 'ip6' : 'ip4'}/${ip.address}/tcp/${port}`)
        .filter((text) => parseAddress(text) !== null)
        .slice(0, PER_NAME_MAX)
        .map((text) => (id === undefined ? text : `${text}/p2p/${id}`));
    }),
  );
  return [...new Set(resolved.flat())];
}

/** @returns nothing if it fails, or takes too long */
async function inTime<T>(found: Promise<readonly T[]>): Promise<readonly T[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly T[]>((resolve) => {
    timer = setTimeout(resolve, LIMITS.helloMessageMs, []);
  });
  try {
    return await Promise.race([found, late]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}
